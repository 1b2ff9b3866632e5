#include "common/job/margins.hpp"

#include "common/job/run_spec.hpp"
#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Margins, AreReadFromTextAndWrittenAsIt) {
    const auto margins = parse_margins("total_tokens=0.1,aggregate_score=2e-2");
    ASSERT_TRUE(margins) << margins.error().message;
    EXPECT_EQ(*margins, (Margins{{"aggregate_score", 0.02}, {"total_tokens", 0.1}}));
    EXPECT_EQ(parse_margins(to_text(*margins)).value(), *margins);
}

TEST(Margins, SayWhatIsWrongWithATextByNameFoundAndAllowed) {
    const auto message = [](std::string_view text) { return parse_margins(text).error().message; };
    EXPECT_THAT(message("agregate_score=0.1"),
                AllOf(HasSubstr("unknown metric 'agregate_score'"),
                      HasSubstr("did you mean \"aggregate_score\"?"), HasSubstr("total_tokens")));
    EXPECT_THAT(message("latency_e2e_p95_ms=0.1"), HasSubstr("unknown metric"));
    for (const char* text : {"-0.1", "0", "nan", "inf", "1.5", "", "0.1x", " 0.1"}) {
        EXPECT_THAT(message("aggregate_score=" + std::string(text)),
                    HasSubstr("aggregate_score: found '" + std::string(text) +
                              "', allowed: a number above 0 and at most 1"));
    }
    EXPECT_THAT(message("total_tokens=0.1,total_tokens=0.2"),
                HasSubstr("total_tokens is given twice"));
    EXPECT_THAT(message("aggregate_score"), HasSubstr("allowed: METRIC=NUMBER"));
    EXPECT_THAT(message("aggregate_score=0.1,"), HasSubstr("found ''"));
    EXPECT_THAT(message(""), HasSubstr("found ''"));
}

Result<Margins> read(std::string_view json) {
    const auto document = json::Document::parse(json);
    Margins margins;
    const Status read = read_margins(document->root(), margins, Strictness::strict);
    if (!read) return read.error();
    return margins;
}

TEST(Margins, AreReadFromAnObjectAllFaultsAtOnce) {
    EXPECT_EQ(read(R"({"spec_pass_rate": 0.05})").value(), (Margins{{"spec_pass_rate", 0.05}}));
    const auto wrong = read(R"({"spec_pass_rate": -1, "speed": 1, "total_tokens": "x"})");
    ASSERT_FALSE(wrong);
    EXPECT_THAT(
        wrong.error().message,
        AllOf(HasSubstr("spec_pass_rate: expected a number above 0 and at most 1, found -1"),
              HasSubstr("unknown key \"speed\""), HasSubstr("total_tokens: expected")));
}

}  // namespace
}  // namespace evalfleet::job
