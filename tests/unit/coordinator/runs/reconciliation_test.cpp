#include "coordinator/runs/reconciliation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace evalfleet::runs {
namespace {

using queue::RunState;

const std::vector<std::string> kStates{"run", "pause", "cancel", "done", ""};

TEST(Reconciliation, EndsWhatIsOverHoweverRedisHasIt) {
    for (const RunPhase phase : {RunPhase::done, RunPhase::cancelled}) {
        const Standing standing = standing_of(phase, false);
        for (const char* state : {"run", "pause", "cancel", "", "absent"})
            EXPECT_EQ(decide_state(standing, state), RunState::done) << state;
        EXPECT_EQ(decide_state(standing, "done"), std::nullopt) << "it is ended already";
    }
}

TEST(Reconciliation, LeavesARunAloneThatItsKeeperTakesCareOf) {
    for (const RunPhase phase :
         {RunPhase::queued, RunPhase::running, RunPhase::paused, RunPhase::finishing})
        for (const std::string& state : kStates)
            EXPECT_EQ(decide_state(standing_of(phase, false), state), std::nullopt)
                << to_string(phase) << " " << state;
}

TEST(Reconciliation, HandsOutNothingOfARunThatFailedAndKeepsWhatCameBack) {
    const Standing standing = standing_of(RunPhase::failed, false);
    EXPECT_EQ(decide_state(standing, "run"), RunState::paused);
    for (const char* state : {"pause", "cancel", "done", ""})
        EXPECT_EQ(decide_state(standing, state), std::nullopt) << state;
}

TEST(Reconciliation, StopsTheCallsOfARunThatIsCancelledOrEndedEarly) {
    for (const Standing standing :
         {standing_of(RunPhase::cancelling, false), standing_of(RunPhase::running, true),
          standing_of(RunPhase::finishing, true)}) {
        EXPECT_EQ(decide_state(standing, "run"), RunState::cancelled);
        EXPECT_EQ(decide_state(standing, "pause"), RunState::cancelled);
        for (const char* state : {"cancel", "done", ""})
            EXPECT_EQ(decide_state(standing, state), std::nullopt) << state;
    }
}

TEST(Reconciliation, NeverTouchesTheRunOfAnother) {
    for (const std::string& state : kStates)
        EXPECT_EQ(decide_state(Standing::elsewhere, state), std::nullopt) << state;
}

TEST(Reconciliation, NeverSetsARunGoing) {
    for (const Standing standing : {Standing::elsewhere, Standing::going, Standing::waiting,
                                    Standing::stopping, Standing::over})
        for (const std::string& state : kStates)
            EXPECT_NE(decide_state(standing, state), RunState::running);
}

TEST(MissingRuns, AreOverOnceTheyWereMissingForAWhile) {
    MissingRuns missing;
    const async::TimePoint start{std::chrono::hours(1)};
    EXPECT_FALSE(missing.is_over("r", start));
    EXPECT_FALSE(missing.is_over("r", start + MissingRuns::kGrace - std::chrono::milliseconds(1)));
    EXPECT_TRUE(missing.is_over("r", start + MissingRuns::kGrace));
    EXPECT_FALSE(missing.is_over("other", start + MissingRuns::kGrace)) << "each by itself";
}

TEST(MissingRuns, BeginAnewWhenTheyWereThereInBetween) {
    MissingRuns missing;
    const async::TimePoint start{std::chrono::hours(1)};
    EXPECT_FALSE(missing.is_over("r", start));
    missing.found("r");
    EXPECT_FALSE(missing.is_over("r", start + MissingRuns::kGrace));
}

TEST(MissingRuns, AreForgottenOnceRedisHasThemNoMore) {
    MissingRuns missing;
    const async::TimePoint start{std::chrono::hours(1)};
    (void)missing.is_over("a", start);
    (void)missing.is_over("b", start);
    missing.keep_only({"b"});
    EXPECT_EQ(missing.size(), 1U);
}

}  // namespace
}  // namespace evalfleet::runs
