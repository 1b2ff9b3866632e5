#include "coordinator/runs/recent_median.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

TEST(RecentMedian, IsZeroWithoutAValue) {
    EXPECT_EQ(RecentMedian().value(), 0);
}

TEST(RecentMedian, IsTheLowerMiddleOfFewValues) {
    RecentMedian median;
    median.add(9);
    EXPECT_EQ(median.value(), 9);
    median.add(1);
    EXPECT_EQ(median.value(), 1);
    median.add(5);
    EXPECT_EQ(median.value(), 5);
}

TEST(RecentMedian, ForgetsWhatIsLongAgo) {
    RecentMedian median;
    for (std::size_t i = 0; i < RecentMedian::kKept; ++i)
        median.add(100);
    for (std::size_t i = 0; i < RecentMedian::kKept / 2; ++i)
        median.add(1);
    EXPECT_EQ(median.value(), 100);
    median.add(1);
    EXPECT_EQ(median.value(), 1);
}

}  // namespace
}  // namespace evalfleet::runs
