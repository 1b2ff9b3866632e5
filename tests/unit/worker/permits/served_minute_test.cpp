#include "worker/permits/served_minute.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

constexpr double kBegin = 1'700'000'000'000;  // as of a server's clock

TEST(ServedMinute, CountsWhatWasServedInTheLastMinute) {
    ServedMinute minute;
    for (int second = 0; second < 300; ++second)
        minute.add(kBegin + second * 1'000, 10);
    EXPECT_NEAR(minute.per_second(), 10, 1);
}

TEST(ServedMinute, KnowsNothingOfTheTimeBeforeItBegan) {
    ServedMinute minute;
    for (int second = 0; second <= 10; ++second)
        minute.add(kBegin + second * 1'000, 5);
    EXPECT_NEAR(minute.per_second(), 5, 1);
}

TEST(ServedMinute, KeepsABurstForAMinuteAndThenForgetsIt) {
    ServedMinute minute;
    minute.add(kBegin, 600);
    for (int second = 1; second <= 50; ++second)
        minute.add(kBegin + second * 1'000, 0);
    EXPECT_EQ(minute.total(), 600);
    minute.add(kBegin + 61'000, 0);
    EXPECT_EQ(minute.total(), 0);
}

TEST(ServedMinute, ForgetsAllAfterALongPause) {
    ServedMinute minute;
    minute.add(kBegin, 600);
    minute.add(kBegin + 3'600'000, 1);
    EXPECT_EQ(minute.total(), 1);
}

TEST(ServedMinute, StandsAClockThatGoesBack) {
    ServedMinute minute;
    minute.add(kBegin, 1);
    minute.add(kBegin - 10'000, 1);
    EXPECT_EQ(minute.total(), 2);
}

}  // namespace
}  // namespace evalfleet::worker
