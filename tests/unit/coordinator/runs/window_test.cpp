#include "coordinator/runs/window.hpp"

#include <gmock/gmock.h>

namespace evalfleet::runs {
namespace {

// Records that take next to no room, where they are not what a test is about.
Window with_small_records(Window::Limits limits) {
    Window window(limits);
    window.expect_records_of(1);
    return window;
}

TEST(Window, IsBoundedByJobs) {
    Window window = with_small_records({.max_jobs = 2, .max_bytes = 1000});
    window.issue(0, 1);
    EXPECT_EQ(window.room(), 1U);
    window.issue(1, 1);
    EXPECT_EQ(window.room(), 0U);
    window.settle(0);
    EXPECT_EQ(window.room(), 1U);
}

TEST(Window, IsBoundedByBytes) {
    Window window = with_small_records({.max_jobs = 100, .max_bytes = 1000});
    window.issue(0, 900);
    EXPECT_GT(window.room(), 0U);
    window.issue(1, 98);
    EXPECT_EQ(window.room(), 0U);
    window.settle(0);
    EXPECT_EQ(window.count_bytes(), 99U);
}

TEST(Window, TakesAJobLargerThanItselfWhenEmpty) {
    Window window = with_small_records({.max_jobs = 100, .max_bytes = 10});
    EXPECT_GT(window.room(), 0U);
    window.issue(0, 1000);
    EXPECT_EQ(window.room(), 0U);
}

TEST(Window, CountsAJobOnceHoweverOftenItGoesOut) {
    Window window = with_small_records({});
    window.issue(0, 10);
    window.issue(0, 10);
    EXPECT_EQ(window.count_jobs(), 1U);
    EXPECT_EQ(window.count_bytes(), 11U);
    window.settle(0);
    window.settle(0);
    EXPECT_EQ(window.count_bytes(), 0U);
}

TEST(Window, LeavesRoomForTheRecordsToCome) {
    Window window({.max_jobs = 1000, .max_bytes = 10'000});
    window.expect_records_of(1'000);
    EXPECT_EQ(window.room(), 10U);
    for (std::uint64_t index = 0; index < 9; ++index)
        window.issue(index, 10);
    EXPECT_EQ(window.count_bytes(), 9'090U);
    EXPECT_EQ(window.room(), 1U) << "less than a whole one, but it goes out";
    window.issue(9, 10);
    EXPECT_EQ(window.room(), 0U);
}

TEST(Window, LearnsHowLargeRecordsAreFromThoseThatCame) {
    Window window({.max_jobs = 1000, .max_bytes = 100'000});
    window.expect_records_of(100);
    EXPECT_EQ(window.room(), 1000U);
    window.learn(50'000);
    EXPECT_EQ(window.room(), 2U) << "the first one counts for all that was guessed";
    window.expect_records_of(1);
    EXPECT_EQ(window.room(), 2U) << "what is known is not guessed again";
    for (int i = 0; i < 10'000; ++i)
        window.learn(1'000);
    EXPECT_EQ(window.room(), 99U) << "what was long ago is forgotten";
}

TEST(Window, KnowsHowManyOfItsJobsHaveAMiB) {
    Window window({});
    EXPECT_EQ(window.jobs_a_mib(), 16U) << "nobody knows";
    window.issue(0, 1 << 10);
    EXPECT_EQ(window.jobs_a_mib(), 1024U);
    window.issue(1, 3 << 10);
    EXPECT_EQ(window.jobs_a_mib(), 512U);
    window.issue(2, 8 << 20);
    EXPECT_EQ(window.jobs_a_mib(), 1U) << "one at least";
    window.settle(2);
    window.settle(1);
    window.settle(0);
    window.issue(3, 0);
    EXPECT_EQ(window.jobs_a_mib(), 1U << 20);
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
