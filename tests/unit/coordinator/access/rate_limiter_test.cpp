#include "coordinator/access/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace evalfleet::access {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr async::TimePoint kStart{std::chrono::hours(1)};

TEST(RateLimiter, LetsABurstThroughAndThenASteadyStream) {
    RateLimiter limiter({.per_second = 2, .burst = 3});
    for (int i = 0; i < 3; ++i)
        EXPECT_FALSE(limiter.take("a", kStart));
    EXPECT_EQ(limiter.take("a", kStart), milliseconds(500));
    EXPECT_EQ(limiter.take("a", kStart + milliseconds(250)), milliseconds(250));
    EXPECT_FALSE(limiter.take("a", kStart + milliseconds(500)));
    EXPECT_TRUE(limiter.take("a", kStart + milliseconds(500)));
}

TEST(RateLimiter, CountsEachCallerAlone) {
    RateLimiter limiter({.per_second = 1, .burst = 1});
    EXPECT_FALSE(limiter.take("a", kStart));
    EXPECT_TRUE(limiter.take("a", kStart));
    EXPECT_FALSE(limiter.take("b", kStart));
}

TEST(RateLimiter, NeverSavesUpMoreThanABurst) {
    RateLimiter limiter({.per_second = 10, .burst = 2});
    EXPECT_FALSE(limiter.take("a", kStart));
    const auto later = kStart + seconds(3600);
    EXPECT_FALSE(limiter.take("a", later));
    EXPECT_FALSE(limiter.take("a", later));
    EXPECT_TRUE(limiter.take("a", later));
}

TEST(RateLimiter, ForgetsWhoWasSilentLongestWhenThereAreTooMany) {
    RateLimiter limiter({.per_second = 1, .burst = 1, .max_callers = 2});
    EXPECT_FALSE(limiter.take("a", kStart));
    EXPECT_FALSE(limiter.take("b", kStart));
    EXPECT_TRUE(limiter.take("a", kStart)) << "now b is the older one";
    EXPECT_FALSE(limiter.take("c", kStart));
    EXPECT_EQ(limiter.count_callers(), 2U);
    EXPECT_TRUE(limiter.take("a", kStart)) << "it was kept";
    EXPECT_FALSE(limiter.take("b", kStart)) << "it was forgotten";
}

TEST(RateLimiter, WithoutARateLetsEverythingThroughAndKeepsNothing) {
    RateLimiter limiter({.per_second = 0});
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(limiter.take("a", kStart));
    EXPECT_EQ(limiter.count_callers(), 0U);
}

}  // namespace
}  // namespace evalfleet::access
