#include "coordinator/runs/window.hpp"

#include <gmock/gmock.h>

namespace evalfleet::runs {
namespace {

TEST(Window, IsBoundedByJobs) {
    Window window({.max_jobs = 2, .max_bytes = 1000});
    window.issue(0, 1);
    EXPECT_TRUE(window.has_room());
    window.issue(1, 1);
    EXPECT_FALSE(window.has_room());
    window.settle(0);
    EXPECT_TRUE(window.has_room());
}

TEST(Window, IsBoundedByBytes) {
    Window window({.max_jobs = 100, .max_bytes = 1000});
    window.issue(0, 999);
    EXPECT_TRUE(window.has_room());
    window.issue(1, 1);
    EXPECT_FALSE(window.has_room());
    window.settle(0);
    EXPECT_EQ(window.count_bytes(), 1U);
}

TEST(Window, TakesAJobLargerThanItselfWhenEmpty) {
    Window window({.max_jobs = 100, .max_bytes = 10});
    EXPECT_TRUE(window.has_room());
    window.issue(0, 1000);
    EXPECT_FALSE(window.has_room());
}

TEST(Window, CountsAJobOnceHoweverOftenItGoesOut) {
    Window window({});
    window.issue(0, 10);
    window.issue(0, 10);
    EXPECT_EQ(window.count_jobs(), 1U);
    EXPECT_EQ(window.count_bytes(), 10U);
    window.settle(0);
    window.settle(0);
    EXPECT_EQ(window.count_bytes(), 0U);
}

TEST(Window, SendsLostJobsOutAgainOnce) {
    Window window({});
    window.issue(5, 1);
    window.issue(6, 1);
    EXPECT_TRUE(window.reissue(5));
    EXPECT_FALSE(window.reissue(5)) << "it is to go out again already";
    EXPECT_FALSE(window.reissue(7)) << "it was never out";
    EXPECT_EQ(window.next_reissue(), 5U);
    EXPECT_FALSE(window.next_reissue());
    EXPECT_TRUE(window.reissue(5)) << "it may be lost again";
}

TEST(Window, DoesNotSendOutAgainWhatWasSettledMeanwhile) {
    Window window({});
    window.issue(5, 1);
    window.reissue(5);
    window.settle(5);
    EXPECT_FALSE(window.next_reissue());
}

TEST(Window, ListsWhatIsOut) {
    Window window({});
    for (const std::uint64_t index : {3U, 1U, 2U})
        window.issue(index, 1);
    window.settle(1);
    EXPECT_THAT(window.issued(), ::testing::UnorderedElementsAre(2U, 3U));
}

}  // namespace
}  // namespace evalfleet::runs
