#include "common/job/setback.hpp"

#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

const Setback kSetback{CallRole::judge, CallError::http_429, 429, "main", "slow \"down\"", 3};

TEST(Setback, ReadsBackWhatItWrites) {
    EXPECT_EQ(parse_setback(to_json(kSetback)).value(), kSetback);
    Setback without_status = kSetback;
    without_status.role = CallRole::model;
    without_status.kind = CallError::connect;
    without_status.http_status.reset();
    EXPECT_EQ(parse_setback(to_json(without_status)).value(), without_status);
}

TEST(Setback, RefusesAnythingElse) {
    for (const char* text :
         {"", "garbage", "[]", "{}", "null", R"({"role":"model"})",
          R"({"role":"nobody","kind":"connect","http_status":null,"provider":"",)"
          R"("message":""})",
          R"({"role":"model","kind":"bored","http_status":null,"provider":"",)"
          R"("message":""})",
          R"({"role":"model","kind":"connect","http_status":"x","provider":"",)"
          R"("message":""})",
          R"({"role":"model","kind":"connect","http_status":null,"provider":1,)"
          R"("message":""})"})
        EXPECT_FALSE(parse_setback(text)) << text;
}

TEST(SetbackCounts, TravelAsWords) {
    const SetbackCounts counts{{"connect", 1}, {"http_429", 3}};
    EXPECT_EQ(to_text(counts), "connect=1 http_429=3");
    EXPECT_EQ(read_setback_counts(to_text(counts)), counts);
    EXPECT_EQ(to_text({}), "");
    EXPECT_TRUE(read_setback_counts("").empty());
}

TEST(SetbackCounts, LeaveOutWhatCannotBeRead) {
    EXPECT_EQ(read_setback_counts("bored=1 connect=2 http_429 =3 http_5xx=x tls=-1 timeout=0 "
                                  "tls=1x connect=99999999999999999999 http_429=1000001"),
              (SetbackCounts{{"connect", 2}}));
}

}  // namespace
}  // namespace evalfleet::job
