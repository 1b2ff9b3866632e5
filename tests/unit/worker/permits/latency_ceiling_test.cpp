#include "worker/permits/latency_ceiling.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

class LatencyCeilingTest : public ::testing::Test {
  protected:
    /// So many calls end that took so long.
    void calls(int count, double ms, bool waited = true) {
        now_ += 1'000;
        LimitTick tick;
        tick.sums.answered = count;
        tick.sums.waited = waited ? count : 0;
        for (int i = 0; i < count; ++i)
            tick.sums.service[purpose_].add(ms, 0);
        tick.elapsed_ms = 1'000;
        tick.now = ServerTime(now_);
        (void)ceiling_.observe(tick, others_, is_suspicious_);
    }

    LatencyCeiling ceiling_{1, LatencyCeiling::kMost, false};
    std::int64_t now_ = 0;
    double others_ = LatencyCeiling::kMost;
    bool is_suspicious_ = false;
    std::size_t purpose_ = 0;
};

TEST_F(LatencyCeilingTest, DoublesWithEveryRoundThatIsServedSideBySide) {
    for (const double limit : {2, 4, 8, 16, 32}) {
        calls(32, 100);
        EXPECT_EQ(ceiling_.calls(), limit);
        EXPECT_EQ(ceiling_.measure_from(), ServerTime(now_)) << "what was sent before is old";
    }
}

TEST_F(LatencyCeilingTest, StopsWhereCallsOnlyWait) {
    calls(10, 100);
    calls(10, 100);
    ASSERT_EQ(ceiling_.calls(), 4);
    for (int i = 0; i < 2; ++i)
        calls(10, 200 + ServiceSums::kSlackMs);
    EXPECT_EQ(ceiling_.calls(), 2);
}

TEST_F(LatencyCeilingTest, TriesALittleLessAndALittleMoreInTurnsOnceItHasSettled) {
    ceiling_ = LatencyCeiling(100, LatencyCeiling::kMost, true);
    double lowest = 100, highest = 100;
    for (int i = 0; i < 100; ++i) {
        calls(100, ceiling_.calls());  // a server of one slot for each millisecond: it queues
        lowest = std::min(lowest, ceiling_.calls());
        if (ceiling_.calls() > 100) highest = ceiling_.calls();
    }
    EXPECT_LT(lowest, 100) << "where all calls queue, fewer are as good";
    EXPECT_EQ(highest, 100) << "nothing is tried above a base that may be too high";
}

TEST_F(LatencyCeilingTest, NoticesThatCallsTakeMuchLongerThanBeforeAtTheSameLimit) {
    ceiling_ = LatencyCeiling(16, LatencyCeiling::kMost, true);
    const auto settle = [this](double slots, int ticks) {
        for (int i = 0; i < ticks; ++i)
            calls(32, 100 * std::max(1.0, ceiling_.calls() / slots));
    };
    settle(16, 300);
    EXPECT_NEAR(ceiling_.calls(), 16, 3);
    settle(4, 200);
    EXPECT_NEAR(ceiling_.calls(), 4, 1);
}

TEST_F(LatencyCeilingTest, GoesOnIfOnlyVerdictsAreAskedForFromNowOn) {
    calls(10, 100);
    calls(10, 300);
    ASSERT_EQ(ceiling_.calls(), 2) << "and in doubt";
    purpose_ = 1;
    for (int i = 0; i < 600; ++i)
        calls(50, 100);
    EXPECT_GT(ceiling_.calls(), 2);
}

TEST_F(LatencyCeilingTest, DoesNotMoveWhileNobodyWaitsForIt) {
    for (int i = 0; i < 10; ++i)
        calls(20, 100, false);
    EXPECT_EQ(ceiling_.calls(), 1);
}

TEST_F(LatencyCeilingTest, DoesNotMoveWhileAnotherCeilingIsLower) {
    calls(10, 100);
    ASSERT_EQ(ceiling_.calls(), 2);
    others_ = 1;
    for (int i = 0; i < 10; ++i)
        calls(20, 100);
    EXPECT_EQ(ceiling_.calls(), 2);
}

TEST_F(LatencyCeilingTest, DoesNotMoveWhileCallsAreRefused) {
    is_suspicious_ = true;
    for (int i = 0; i < 10; ++i)
        calls(20, 100);
    EXPECT_EQ(ceiling_.calls(), 1);
}

TEST_F(LatencyCeilingTest, HoldsWhatTheOperatorNamed) {
    ceiling_ = LatencyCeiling(8, 8, true);
    for (int i = 0; i < 5; ++i)
        calls(40, 100);
    EXPECT_LE(ceiling_.calls(), 8);
    EXPECT_GE(ceiling_.calls(), 7);
}

TEST_F(LatencyCeilingTest, LooksOftenOnlyAsLongAsItSearches) {
    EXPECT_EQ(ceiling_.tick_ms(), 20);
    calls(10, 1'000);
    EXPECT_EQ(ceiling_.tick_ms(), 200);
    EXPECT_EQ(LatencyCeiling(8, 8, true).tick_ms(), 200);
}

}  // namespace
}  // namespace evalfleet::worker
