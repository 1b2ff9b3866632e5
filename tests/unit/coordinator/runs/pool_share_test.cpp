#include "coordinator/runs/pool_share.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

queue::RunStats run(std::string id, std::uint64_t leased, std::uint64_t results) {
    queue::RunStats stats;
    stats.run = std::move(id);
    stats.leased = leased;
    stats.results = results;
    return stats;
}

TEST(PoolShare, IsDrainedHoweverBusyOtherRunsAre) {
    queue::PoolStats stats;
    stats.leased = 100;
    stats.runs = {run("busy", 100, 7), run("mine", 0, 0)};
    EXPECT_TRUE(is_drained(stats, "mine"));
    EXPECT_FALSE(is_drained(stats, "busy"));
    EXPECT_TRUE(is_drained(stats, "unknown"));
}

TEST(PoolShare, IsNotDrainedWhileResultsWait) {
    queue::PoolStats stats;
    stats.runs = {run("mine", 0, 1)};
    EXPECT_FALSE(is_drained(stats, "mine"));
    stats.runs = {run("mine", 1, 0)};
    EXPECT_FALSE(is_drained(stats, "mine"));
}

}  // namespace
}  // namespace evalfleet::runs
