#include "worker/worker_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::MatchesRegex;

TEST(WorkerName, IsWhatWasWantedAndARandomNumber) {
    EXPECT_THAT(make_worker_name("pod-7"), MatchesRegex("pod-7-[0-9a-f]+"));
    EXPECT_NE(make_worker_name("pod-7"), make_worker_name("pod-7"));
}

TEST(WorkerName, HoldsNothingThatMeansSomethingToTheQueue) {
    EXPECT_THAT(make_worker_name("a:b c{d}"), MatchesRegex("a-b-c-d--[0-9a-f]+"));
    EXPECT_LE(make_worker_name(std::string(500, 'x')).size(), 120U);
}

TEST(WorkerName, IsThatOfTheHostIfNoneIsWanted) {
    EXPECT_GT(make_worker_name("").size(), 9U);
}

}  // namespace
}  // namespace evalfleet::worker
