#include "coordinator/runs/read_pace.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

constexpr std::size_t kKiB = 1024;

TEST(ReadPace, BeginsWithAFewAndAtMostDoubles) {
    ReadPace pace({.max_results = 100, .max_bytes = 1000 * kKiB});
    EXPECT_EQ(pace.count(), 16U);
    pace.observe(16, 16);
    EXPECT_EQ(pace.count(), 32U);
    pace.observe(32, 32);
    pace.observe(64, 64);
    EXPECT_EQ(pace.count(), 100U) << "as many as it may";
}

TEST(ReadPace, AsksForAsManyAsFitIntoTheBytes) {
    ReadPace pace({.max_results = 512, .max_bytes = 8000 * kKiB});
    pace.observe(16, 16 * 600 * kKiB);
    EXPECT_EQ(pace.count(), 13U);
    pace.observe(1, 9000 * kKiB);
    EXPECT_EQ(pace.count(), 1U) << "one at least";
    pace.observe(1, kKiB);
    EXPECT_EQ(pace.count(), 2U);
}

TEST(ReadPace, LearnsNothingFromAnEmptyAnswer) {
    ReadPace pace({});
    pace.observe(0, 0);
    EXPECT_EQ(pace.count(), 16U);
}

TEST(ReadPace, HalvesDownToOneAndThenSaysSo) {
    ReadPace pace({.max_results = 4, .max_bytes = kKiB});
    EXPECT_TRUE(pace.halve());
    EXPECT_EQ(pace.count(), 2U);
    EXPECT_TRUE(pace.halve());
    EXPECT_EQ(pace.count(), 1U);
    EXPECT_FALSE(pace.halve());
    EXPECT_EQ(pace.count(), 1U);
}

}  // namespace
}  // namespace evalfleet::runs
