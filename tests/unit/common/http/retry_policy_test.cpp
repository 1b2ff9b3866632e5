#include "common/http/retry_policy.hpp"

#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const RetryPolicy kPolicy({.max_attempts = 5,
                           .base = milliseconds(100),
                           .cap = milliseconds(1000),
                           .max_retry_after = milliseconds(60'000)});
constexpr double kAlmostOne = 0.9999999;

TEST(RetryPolicy, DrawsFromTwiceAsMuchAfterEachAttempt) {
    EXPECT_EQ(kPolicy.after_status(1, 503, {}, 0.0), milliseconds(0));
    EXPECT_EQ(kPolicy.after_status(1, 503, {}, 0.5), milliseconds(50));
    EXPECT_EQ(kPolicy.after_status(1, 503, {}, kAlmostOne), milliseconds(99));
    EXPECT_EQ(kPolicy.after_status(2, 503, {}, 0.5), milliseconds(100));
    EXPECT_EQ(kPolicy.after_status(3, 503, {}, 0.5), milliseconds(200));
    EXPECT_EQ(kPolicy.after_status(4, 503, {}, 0.5), milliseconds(400));
}

TEST(RetryPolicy, NeverDrawsBeyondItsCap) {
    const RetryPolicy patient(
        {.max_attempts = 1'000'000, .base = milliseconds(100), .cap = milliseconds(1000)});
    EXPECT_EQ(patient.after_status(999'999, 503, {}, 0.5), milliseconds(500));
}

TEST(RetryPolicy, GivesUpAfterTheLastAttempt) {
    EXPECT_TRUE(kPolicy.after_status(4, 503, {}, 0.5));
    EXPECT_FALSE(kPolicy.after_status(5, 503, {}, 0.5));
    EXPECT_FALSE(kPolicy.after_status(5, 429, seconds(1), 0.5));
}

TEST(RetryPolicy, TriesAgainOnlyWhatMayPass) {
    for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
        EXPECT_TRUE(kPolicy.after_status(1, status, {}, 0.5)) << status;
    }
    for (const int status : {200, 301, 400, 401, 403, 404, 413, 422, 501, 505, 600}) {
        EXPECT_FALSE(kPolicy.after_status(1, status, {}, 0.5)) << status;
    }
    for (const ErrorKind kind :
         {ErrorKind::transient, ErrorKind::timeout, ErrorKind::rate_limited}) {
        EXPECT_TRUE(kPolicy.after_error(1, {kind, ""}, 0.5));
    }
    for (const ErrorKind kind : {ErrorKind::tls, ErrorKind::invalid, ErrorKind::too_large,
                                 ErrorKind::cancelled, ErrorKind::denied, ErrorKind::internal}) {
        EXPECT_FALSE(kPolicy.after_error(1, {kind, ""}, 0.5));
    }
}

TEST(RetryPolicy, WaitsAtLeastAsLongAsTheServerWishesUpToALimit) {
    EXPECT_EQ(kPolicy.after_status(1, 429, seconds(7), 0.5), seconds(7));
    EXPECT_EQ(kPolicy.after_status(4, 429, milliseconds(10), 0.5), milliseconds(400));
    EXPECT_EQ(kPolicy.after_status(1, 429, seconds(3600), 0.5), seconds(60));
    EXPECT_EQ(kPolicy.after_error(1, {ErrorKind::rate_limited, "", seconds(3)}, 0.5), seconds(3));
}

TEST(RetryAfter, ReadsSecondsAndDates) {
    const std::chrono::system_clock::time_point now{seconds(784'111'777)};
    EXPECT_EQ(parse_retry_after("120", now), seconds(120));
    EXPECT_EQ(parse_retry_after(" 0 ", now), seconds(0));
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), seconds(10));
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), seconds(0));
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now + milliseconds(500)),
              milliseconds(9500));
}

TEST(RetryAfter, ReadsFractionsOfASecond) {
    const std::chrono::system_clock::time_point now{seconds(784'111'777)};
    EXPECT_EQ(parse_retry_after("0.5", now), milliseconds(500));
    EXPECT_EQ(parse_retry_after("1.25", now), milliseconds(1250));
    EXPECT_EQ(parse_retry_after(" 20.000 ", now), seconds(20));
    EXPECT_EQ(parse_retry_after("0.0001", now), milliseconds(1)) << "never earlier than asked";
    EXPECT_EQ(parse_retry_after("99999999999999999999999.5", now), std::chrono::hours(24 * 365));
}

TEST(RetryAfter, SurvivesNonsense) {
    const std::chrono::system_clock::time_point now{seconds(784'111'777)};
    for (const char* text :
         {"", "soon", "-1", "1e3", "12 s", ".5", "1.", "1.2.3", "+1", "0x1", "inf", "nan", "."}) {
        EXPECT_FALSE(parse_retry_after(text, now)) << text;
    }
    EXPECT_EQ(parse_retry_after("99999999999999999999999", now), std::chrono::hours(24 * 365));
    EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", now),
              std::chrono::hours(24 * 365));
}

}  // namespace
}  // namespace evalfleet::http
