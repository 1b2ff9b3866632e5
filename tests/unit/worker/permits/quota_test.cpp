#include "worker/permits/quota.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;

const std::chrono::system_clock::time_point kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + std::chrono::hours(12);

TEST(Quota, ReadsOpenAiHeaders) {
    const Quotas quotas = read_quotas({{"X-RateLimit-Limit-Requests", "60"},
                                       {"x-ratelimit-remaining-requests", "59"},
                                       {"x-ratelimit-reset-requests", "1s"},
                                       {"x-ratelimit-limit-tokens", "150000"},
                                       {"x-ratelimit-remaining-tokens", "149984"},
                                       {"x-ratelimit-reset-tokens", "6m0s"}},
                                      kNow);
    EXPECT_EQ(quotas.requests, (Quota{60, 59, milliseconds(1'000)}));
    EXPECT_EQ(quotas.tokens, (Quota{150'000, 149'984, milliseconds(360'000)}));
}

TEST(Quota, ReadsAnthropicHeaders) {
    const Quotas quotas =
        read_quotas({{"anthropic-ratelimit-requests-limit", "50"},
                     {"anthropic-ratelimit-requests-remaining", "0"},
                     {"anthropic-ratelimit-requests-reset", "2026-11-16T12:00:30Z"},
                     {"anthropic-ratelimit-tokens-remaining", "7"}},
                    kNow);
    EXPECT_EQ(quotas.requests, (Quota{50, 0, milliseconds(30'000)}));
    EXPECT_EQ(quotas.tokens.remaining, 7);
}

TEST(Quota, LeavesOutWhatMakesNoSense) {
    const Quotas quotas = read_quotas({{"x-ratelimit-limit-requests", "many"},
                                       {"x-ratelimit-remaining-requests", "-1"},
                                       {"x-ratelimit-reset-requests", "soon"},
                                       {"x-ratelimit-limit-tokens", "99999999999999999999"}},
                                      kNow);
    EXPECT_EQ(quotas.requests, Quota{});
    EXPECT_EQ(quotas.tokens, Quota{});
}

TEST(Quota, RestsOnlyWhenNothingIsLeftAndThenForOneCall) {
    const Quota none{60, 0, milliseconds(60'000)};
    EXPECT_EQ(rest_after({none, {}}, 100), milliseconds(1'000)) << "one of 60 is back in a second";
    EXPECT_EQ(rest_after({{60, 1, milliseconds(59'000)}, {}}, 100), milliseconds(0));
    const Quota few_tokens{1'000, 50, milliseconds(57'000)};
    EXPECT_EQ(rest_after({{}, few_tokens}, 50), milliseconds(0));
    EXPECT_EQ(rest_after({{}, few_tokens}, 150), milliseconds(6'000));
    EXPECT_EQ(rest_after({{}, few_tokens}, 1'000'000), milliseconds(57'000));
    EXPECT_EQ(rest_after({{10, 0, milliseconds(10'000'000)}, {}}, 0), milliseconds(60'000));
    EXPECT_EQ(rest_after({{10, 0, std::nullopt}, {}}, 0), milliseconds(0));
    EXPECT_EQ(rest_after({{0, 0, milliseconds(1'000)}, {}}, 0), milliseconds(0));
}

TEST(Quota, RestsAfterARefusalAsLongAsItIsToldWithinReason) {
    EXPECT_EQ(rest_after_refusal({}), milliseconds(0));
    EXPECT_EQ(rest_after_refusal(milliseconds(250)), milliseconds(250));
    EXPECT_EQ(rest_after_refusal(std::chrono::hours(24)), milliseconds(60'000));
}

TEST(Quota, ReadsDurations) {
    EXPECT_EQ(parse_go_duration("1h2m3.5s"), milliseconds(3'723'500));
    EXPECT_EQ(parse_go_duration("120ms"), milliseconds(120));
    EXPECT_EQ(parse_go_duration("59.7s"), milliseconds(59'700));
    EXPECT_EQ(parse_go_duration("0"), milliseconds(0));
    EXPECT_EQ(parse_go_duration("12"), milliseconds(12'000));
    EXPECT_EQ(parse_go_duration("3us"), milliseconds(1));
    EXPECT_EQ(parse_go_duration("1e300h"), milliseconds(1'000'000'000'000));
    for (const char* text : {"", "s", "5x", "-1s", "1s2", "nan", "inf", "1s,"})
        EXPECT_FALSE(parse_go_duration(text)) << text;
}

TEST(Quota, ReadsMoments) {
    const auto noon = kNow;
    EXPECT_EQ(parse_rfc3339("2026-11-16T12:00:00Z"), noon);
    EXPECT_EQ(parse_rfc3339("2026-11-16T12:00:00.123Z"), noon);
    EXPECT_EQ(parse_rfc3339("2026-11-16T13:30:00+01:30"), noon);
    for (const char* text : {"", "2026-11-16", "2026-13-16T12:00:00Z", "2026-11-16T12:00:00",
                             "2026-11-16T12:00:00+0130", "2026-11-16T12:00:00Zx", "12s"})
        EXPECT_FALSE(parse_rfc3339(text)) << text;
}

}  // namespace
}  // namespace evalfleet::worker
