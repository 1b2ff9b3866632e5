#include "coordinator/runs/job_ages.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

async::TimePoint at(int second) {
    return async::TimePoint(std::chrono::seconds(second));
}

TEST(JobAges, TellTheOldestThatIsOut) {
    JobAges ages;
    EXPECT_EQ(ages.oldest(), std::nullopt);
    ages.issue(7, at(1));
    ages.issue(3, at(2));
    ages.issue(5, at(3));
    EXPECT_EQ(ages.oldest(), at(1));
    ages.settle(3);
    EXPECT_EQ(ages.oldest(), at(1));
    ages.settle(7);
    EXPECT_EQ(ages.oldest(), at(3));
    ages.settle(5);
    EXPECT_EQ(ages.oldest(), std::nullopt);
}

TEST(JobAges, AJobThatGoesOutAgainKeepsItsAge) {
    JobAges ages;
    ages.issue(1, at(1));
    ages.issue(2, at(2));
    ages.issue(1, at(3));
    EXPECT_EQ(ages.oldest(), at(1));
}

TEST(JobAges, SettlingWhatIsNotOutChangesNothing) {
    JobAges ages;
    ages.issue(1, at(1));
    ages.settle(2);
    EXPECT_EQ(ages.oldest(), at(1));
}

}  // namespace
}  // namespace evalfleet::runs
