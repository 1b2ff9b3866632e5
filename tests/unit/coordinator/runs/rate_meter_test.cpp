#include "coordinator/runs/rate_meter.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using namespace std::chrono_literals;

TEST(RateMeter, KnowsNothingBeforeTwoMoments) {
    RateMeter meter;
    EXPECT_FALSE(meter.per_second());
    meter.observe(async::TimePoint(1s), 5);
    EXPECT_FALSE(meter.per_second());
}

TEST(RateMeter, MeasuresASteadyRate) {
    RateMeter meter(10s);
    for (int second = 0; second <= 100; ++second)
        meter.observe(async::TimePoint(std::chrono::seconds(second)),
                      static_cast<std::uint64_t>(second) * 7);
    EXPECT_DOUBLE_EQ(*meter.per_second(), 7.0);
}

TEST(RateMeter, ForgetsWhatIsOlderThanItsSpan) {
    RateMeter meter(10s);
    for (int second = 0; second <= 50; ++second)
        meter.observe(async::TimePoint(std::chrono::seconds(second)), 1000);
    for (int second = 51; second <= 70; ++second)
        meter.observe(async::TimePoint(std::chrono::seconds(second)),
                      1000 + static_cast<std::uint64_t>(second - 50));
    EXPECT_NEAR(*meter.per_second(), 1.0, 0.1);
}

TEST(RateMeter, FrequentLooksChangeNothing) {
    RateMeter meter(10s);
    for (int ms = 0; ms <= 20'000; ms += 10)
        meter.observe(async::TimePoint(std::chrono::milliseconds(ms)),
                      static_cast<std::uint64_t>(ms) / 10);
    EXPECT_NEAR(*meter.per_second(), 100.0, 1.0);
}

TEST(RateMeter, BeginsAnewWhenTheCountGoesBack) {
    RateMeter meter(10s);
    meter.observe(async::TimePoint(0s), 0);
    meter.observe(async::TimePoint(5s), 100);
    meter.observe(async::TimePoint(6s), 20);
    EXPECT_FALSE(meter.per_second());
    meter.observe(async::TimePoint(8s), 30);
    EXPECT_DOUBLE_EQ(*meter.per_second(), 5.0);
}

}  // namespace
}  // namespace evalfleet::runs
