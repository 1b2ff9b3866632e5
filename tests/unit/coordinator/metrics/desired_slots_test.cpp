#include "coordinator/metrics/desired_slots.hpp"

#include <gtest/gtest.h>

namespace evalfleet::coordinator {
namespace {

using runs::RunPhase;
using runs::RunStats;

RunStats run(const std::string& id, RunPhase phase) {
    RunStats run;
    run.run_id = id;
    run.phase = phase;
    run.unissued = 35;
    return run;
}

// So much work that only limits decide; calls of 2 s to "main", judged in 1 s by "judge".
RunStats large_run(const std::string& id = "large") {
    RunStats large = run(id, RunPhase::running);
    large.unissued = 1'000'000;
    large.model_provider = "main";
    large.model_seconds = 2;
    large.judge_provider = "judge";
    large.judge_seconds = 1;
    return large;
}

queue::PoolStats pool() {
    queue::PoolStats pool;
    pool.leased = 7;
    pool.delayed = 2;
    pool.runs = {{"a", 19, 10, 6, "run", 7}, {"b", 5, 5, 0, "pause"}};
    return pool;
}

TEST(DesiredSlots, CountWhatWaitsAndWhatIsInFlight) {
    EXPECT_EQ(count_desired_slots({run("a", RunPhase::running)}, pool(), {}), 35U + 10 + 7 + 2);
}

TEST(DesiredSlots, CountARunThatRedisDoesNotKnowYet) {
    EXPECT_EQ(count_desired_slots({run("new", RunPhase::queued)}, {}, {}), 35U);
}

TEST(DesiredSlots, CountOnlyWhatIsInFlightOfPausedAndCancelledRuns) {
    EXPECT_EQ(count_desired_slots({run("b", RunPhase::paused), run("c", RunPhase::cancelling)},
                                  pool(), {}),
              9U);
}

TEST(DesiredSlots, AreNoMoreThanConfigured) {
    EXPECT_EQ(count_desired_slots({run("a", RunPhase::running)}, pool(), {{}, 20}), 20U);
}

TEST(DesiredSlots, AreNoMoreThanARunAllowsItself) {
    RunStats modest = run("a", RunPhase::running);
    modest.max_in_flight = 8;
    EXPECT_EQ(count_desired_slots({modest, run("new", RunPhase::running)}, pool(), {}), 8U + 35);
}

TEST(DesiredSlots, FollowTheRateThatTheModelsProviderAllows) {
    // 10 trials a second, 3 s each, and a fifth more.
    EXPECT_EQ(count_desired_slots({large_run()}, {}, {{{"main", {600, 0}}}, 0}), 36U);
}

TEST(DesiredSlots, FollowTheRateThatTheJudgesProviderAllows) {
    EXPECT_EQ(count_desired_slots({large_run()}, {}, {{{"judge", {300, 0}}}, 0}), 18U);
}

TEST(DesiredSlots, FollowTheTighterOfTwoLimits) {
    EXPECT_EQ(
        count_desired_slots({large_run()}, {}, {{{"main", {600, 0}}, {"judge", {300, 0}}}, 0}),
        18U);
    EXPECT_EQ(count_desired_slots({large_run()}, {}, {{{"main", {600, 10}}}, 0}), 18U);
}

TEST(DesiredSlots, FollowTheCallsThatAProviderTakesAtOnce) {
    // Of three slots two are at "main": 20 calls there are 30 slots, and a fifth more.
    EXPECT_EQ(count_desired_slots({large_run()}, {}, {{{"main", {0, 20}}}, 0}), 36U);
}

TEST(DesiredSlots, CountBothCallsOfATrialWhereOneProviderAnswersThem) {
    RunStats same = large_run();
    same.judge_provider = "main";
    EXPECT_EQ(count_desired_slots({same}, {}, {{{"main", {600, 0}}}, 0}), 18U);
    EXPECT_EQ(count_desired_slots({same}, {}, {{{"main", {0, 20}}}, 0}), 24U);
}

TEST(DesiredSlots, GiveALimitToRunsOnce) {
    const SlotLimits limits{{{"main", {600, 20}}}, 0};
    EXPECT_EQ(count_desired_slots({large_run("x"), large_run("y")}, {}, limits),
              count_desired_slots({large_run("x")}, {}, limits));
}

TEST(DesiredSlots, LetARunWithoutLimitsGrowBesideOneWith) {
    RunStats free = run("free", RunPhase::running);
    free.model_provider = "other";
    free.model_seconds = 1;
    EXPECT_EQ(count_desired_slots({large_run(), free}, {}, {{{"main", {600, 0}}}, 0}), 36U + 35);
}

TEST(DesiredSlots, FollowOnlyCallsAtOnceBeforeAnythingIsMeasured) {
    RunStats fresh = large_run();
    fresh.model_seconds = fresh.judge_seconds = 0;
    EXPECT_EQ(count_desired_slots({fresh}, {}, {{{"main", {600, 0}}}, 0}), 1'000'000U);
    EXPECT_EQ(count_desired_slots({fresh}, {}, {{{"main", {600, 20}}}, 0}), 48U);
}

TEST(DesiredSlots, CountAPausedRunsCallsOnTopOfTheLimits) {
    queue::PoolStats busy;
    busy.leased = 4;
    busy.runs = {{"p", 4, 0, 0, "pause", 4}};
    EXPECT_EQ(count_desired_slots({large_run(), run("p", RunPhase::paused)}, busy,
                                  {{{"main", {600, 0}}}, 0}),
              36U + 4);
}

}  // namespace
}  // namespace evalfleet::coordinator
