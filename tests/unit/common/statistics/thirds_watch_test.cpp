#include "common/statistics/thirds_watch.hpp"

#include <gtest/gtest.h>

#include <random>

namespace evalfleet::statistics {
namespace {

TEST(ThirdsWatch, ComparesNothingBelowThirtyValues) {
    ThirdsWatch watch;
    for (int i = 0; i < 29; ++i)
        watch.add(i < 14 ? 0 : 1);
    EXPECT_FALSE(watch.find_difference(2.5));
    watch.add(1);
    ASSERT_TRUE(watch.find_difference(2.5));
    EXPECT_EQ(watch.find_difference(2.5)->first, 0);
    EXPECT_EQ(watch.find_difference(2.5)->last, 1);
}

TEST(ThirdsWatch, FindsNoDifferenceBetweenEqualValues) {
    ThirdsWatch watch;
    for (int i = 0; i < 1000; ++i)
        watch.add(0.1 * 3);
    EXPECT_FALSE(watch.find_difference(2.5));
}

TEST(ThirdsWatch, FindsAMoveOfTheMeanWithAHundredThousandValuesInBoundedMemory) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0, 1);
    ThirdsWatch moving;
    ThirdsWatch steady;
    for (int i = 0; i < 100'000; ++i) {
        moving.add(noise(random) + i * 1e-6);
        steady.add(noise(random));
    }
    const auto means = moving.find_difference(2.5);
    ASSERT_TRUE(means);
    EXPECT_NEAR(means->first, 0.0167, 0.03);
    EXPECT_NEAR(means->last, 0.0833, 0.03);
    EXPECT_FALSE(steady.find_difference(4));
}

// 2.5 standard deviations: 1.2 % of looks.
TEST(ThirdsWatch, IsSeldomWrong) {
    std::mt19937 random(4);
    int found = 0;
    for (int run = 0; run < 2000; ++run) {
        ThirdsWatch watch;
        for (int i = 0; i < 120; ++i)
            watch.add(random() % 10 == 0 ? 0 : 1);
        found += watch.find_difference(2.5) ? 1 : 0;
    }
    EXPECT_LE(found, 60);
    EXPECT_GE(found, 2) << "it can find something";
}

}  // namespace
}  // namespace evalfleet::statistics
