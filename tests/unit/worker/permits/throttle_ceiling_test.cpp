#include "worker/permits/throttle_ceiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

class ThrottleCeilingTest : public ::testing::Test {
  protected:
    /// A second passes in which the fleet's calls end so.
    LimitChange second(const CallSums& sums, double running = 20) {
        now_ += 1'000;
        LimitTick tick;
        tick.sums = sums;
        tick.elapsed_ms = 1'000;
        tick.running = running;
        tick.now = ServerTime(now_);
        return ceiling_.observe(tick);
    }
    static CallSums calls(double answered, double throttled) {
        CallSums sums;
        sums.answered = answered;
        sums.throttled = throttled;
        return sums;
    }
    static CallSums overloaded(double count) {
        CallSums sums;
        sums.overloaded = count;
        return sums;
    }

    /// Half of the calls are refused, and in the test that follows none.
    LimitChange find_limit() {
        (void)second(calls(100, 100));
        return second(calls(50, 0));
    }

    ThrottleCeiling ceiling_;
    std::int64_t now_ = 0;
};

TEST_F(ThrottleCeilingTest, IsNoneUntilCallsAreRefused) {
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(second(calls(1'000, 0)).reason, "");
    EXPECT_EQ(ceiling_.calls(), ThrottleCeiling::kMost);
    EXPECT_EQ(ceiling_.rate(), 0);
    EXPECT_FALSE(ceiling_.is_suspicious());
}

TEST_F(ThrottleCeilingTest, LooksPastSingleRefusals) {
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(second(calls(30, 2)).reason, "");
    EXPECT_EQ(ceiling_.calls(), ThrottleCeiling::kMost);
}

TEST_F(ThrottleCeilingTest, TestsWithHalfOfWhatWasServedWhetherThereIsALimit) {
    const LimitChange change = second(calls(100, 100));
    EXPECT_THAT(change.reason, HasSubstr("100 x 429 of 200 calls; testing with 50 calls/s"));
    EXPECT_EQ(ceiling_.rate(), 50);
    EXPECT_GE(ceiling_.cut_at(), ServerTime(1'000)) << "what is under way does not count";
    EXPECT_TRUE(ceiling_.is_suspicious());
}

TEST_F(ThrottleCeilingTest, CutsToWhatWasServedIfTheTestShowsALimit) {
    EXPECT_THAT(find_limit().reason, HasSubstr("calls at once cut to 20"));
    EXPECT_EQ(ceiling_.calls(), 20);
    EXPECT_EQ(ceiling_.rate(), 0);
    EXPECT_EQ(ceiling_.cut_at(), ServerTime(2'000));
}

TEST_F(ThrottleCeilingTest, ToleratesWhatIsRefusedAtHalfTheRateAsWell) {
    (void)second(calls(80, 20));
    EXPECT_THAT(second(calls(40, 10)).reason, HasSubstr("20 % of calls are refused at any load"));
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(second(calls(80, 20)).reason, "");
    EXPECT_EQ(ceiling_.calls(), ThrottleCeiling::kMost);
    EXPECT_EQ(ceiling_.rate(), 0);
    EXPECT_FALSE(ceiling_.is_suspicious());
}

TEST_F(ThrottleCeilingTest, GoesOnTestingWhileTooFewCallsWereMade) {
    (void)second(calls(80, 20));
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(second(calls(1, 0)).reason, "");
    EXPECT_TRUE(ceiling_.is_suspicious());
}

TEST_F(ThrottleCeilingTest, CutsToTheLimitThatStandsBehindRefusalsAtRandom) {
    (void)second(calls(100, 100));
    EXPECT_THAT(second(calls(90, 10)).reason, HasSubstr("calls at once cut to 20"));
    EXPECT_EQ(second(calls(90, 10)).reason, "") << "those are tolerated";
    EXPECT_EQ(ceiling_.calls(), 20);
}

TEST_F(ThrottleCeilingTest, TestsOnceForALimitThatIsThere) {
    (void)find_limit();
    (void)second(calls(100, 0));
    EXPECT_THAT(second(calls(100, 100), 18).reason, HasSubstr("calls at once cut to 18"));
}

TEST_F(ThrottleCeilingTest, CutsOnceForAnEpisodeIfThatHelps) {
    (void)find_limit();
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(second(calls(100, 0)).reason, "");
    EXPECT_EQ(ceiling_.calls(), 20);
}

TEST_F(ThrottleCeilingTest, CutsTheRateIfFewerCallsAtOnceDoNotHelp) {
    (void)find_limit();
    EXPECT_THAT(second(calls(50, 50)).reason, HasSubstr("calls at once cut to 19"));
    const LimitChange change = second(calls(50, 50));
    EXPECT_THAT(change.reason, HasSubstr("cut to 50 calls/s"));
    EXPECT_EQ(ceiling_.rate(), 50);
    EXPECT_EQ(ceiling_.calls(), ThrottleCeiling::kMost) << "that was not it";
}

TEST_F(ThrottleCeilingTest, DoesNotTakeALullForSuccess) {
    (void)find_limit();
    ASSERT_LT(ceiling_.calls(), ThrottleCeiling::kMost);
    for (int i = 0; i < 30; ++i)
        (void)second(calls(2, i % 2 == 0 ? 1 : 0));
    EXPECT_GT(ceiling_.rate(), 0) << "the share is as before: it goes on with what was served";
}

TEST_F(ThrottleCeilingTest, GrowsAgainAfterAWhileWithoutRefusals) {
    (void)find_limit();
    double highest = 0;
    for (int i = 0; i < 60; ++i) {
        (void)second(calls(1'000, 0), ceiling_.calls());
        highest = std::max(highest, ceiling_.calls());
    }
    EXPECT_GT(highest, 20);
}

TEST_F(ThrottleCeilingTest, LeavesAProviderAloneThatServesNothing) {
    const LimitChange change = second(overloaded(50), 1);
    EXPECT_GT(change.rest_ms, 0);
    EXPECT_EQ(ceiling_.calls(), 1);
    EXPECT_TRUE(ceiling_.is_suspicious());
    double rest = change.rest_ms;
    for (int i = 0; i < 10; ++i) {
        const LimitChange again = second(overloaded(1), 1);
        EXPECT_GE(again.rest_ms, rest);
        rest = again.rest_ms;
    }
    EXPECT_EQ(rest, 5'000) << "it is asked every few seconds";
    EXPECT_THAT(second(calls(1, 0), 1).reason, HasSubstr("calls are served again"));
    EXPECT_EQ(ceiling_.calls(), ThrottleCeiling::kMost);
    EXPECT_EQ(ceiling_.rate(), 0) << "an overload is no limit";
}

TEST_F(ThrottleCeilingTest, RestsAsLongAsItIsAskedTo) {
    CallSums sums = calls(10, 90);
    sums.longest_rest_ms = 7'000;
    EXPECT_EQ(second(sums).rest_ms, 7'000);
    sums.longest_rest_ms = 3'600'000;
    ceiling_ = {};
    EXPECT_EQ(second(sums).rest_ms, 60'000) << "a minute at most";
}

TEST_F(ThrottleCeilingTest, TakesTimeOutsForTooManyCalls) {
    CallSums sums;
    sums.answered = 50;
    sums.timed_out = 50;
    EXPECT_THAT(second(sums, 40).reason, HasSubstr("50 x timeout of 100 calls"));
    EXPECT_EQ(ceiling_.calls(), 20) << "half of what was under way";
}

}  // namespace
}  // namespace evalfleet::worker
