#include "tests/support/limited_fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A window long enough that the margin, which has to stand a busy machine, costs little of it.
LimitedFleet::Options small_scale() {
    LimitedFleet::Options options;
    options.rpm = 120;
    options.window = seconds(15);
    options.margin = milliseconds(500);
    return options;
}

void expect_limit_kept_and_used(const LimitedFleet& fleet, const LimitedFleet::Options& options,
                                std::size_t windows) {
    const ArrivalLog log = fleet.arrivals();
    EXPECT_EQ(log.count_refused(options.window), 0U) << "after the first window";
    EXPECT_LE(log.most_within(options.window), options.rpm);
    const std::size_t allowed = options.rpm * windows;
    EXPECT_GE(log.count_accepted(options.window * windows), allowed * 95 / 100);
    EXPECT_GE(log.sustained_share(options.rpm, options.window), 0.95);
}

TEST(FleetLimits, EightWorkersKeepALimitTogetherAndUseIt) {
    const LimitedFleet::Options options = small_scale();
    LimitedFleet fleet(options);
    ASSERT_TRUE(fleet.await(options.window * 2));
    expect_limit_kept_and_used(fleet, options, 2);
}

TEST(FleetLimits, TheJudgesCallsCountWhereTheKeyIsTheSame) {
    LimitedFleet::Options options = small_scale();
    options.judge_shares_key = true;
    LimitedFleet fleet(options);
    ASSERT_TRUE(fleet.await(options.window * 2));
    expect_limit_kept_and_used(fleet, options, 2);
    fleet.end_workers();
    const auto limits = fleet.limits();
    ASSERT_EQ(limits.size(), 1U);
    EXPECT_EQ(limits[0].key, "key:shared");
    EXPECT_EQ(limits[0].held, 0U) << "workers that end give everything back";
    EXPECT_EQ(limits[0].workers, 0U);
}

TEST(FleetLimits, HoldWhenWorkersAreKilled) {
    LimitedFleet::Options options = small_scale();
    options.judge_shares_key = true;
    LimitedFleet fleet(options);
    ASSERT_TRUE(fleet.await(options.window / 2));
    fleet.kill_worker(0);
    fleet.kill_worker(1);
    ASSERT_TRUE(fleet.await(options.window * 5 / 2));
    expect_limit_kept_and_used(fleet, options, 3);
    fleet.end_workers();
    std::vector<queue::LimitStats> limits = fleet.limits();
    for (int i = 0; i < 100 && limits[0].held + limits[0].workers > 0; ++i)
        limits = fleet.limits();
    EXPECT_EQ(limits[0].held, 0U) << "what the dead held came back with their leases' end";
    EXPECT_EQ(limits[0].workers, 0U);
}

}  // namespace
}  // namespace evalfleet::testing
