#include "coordinator/reduce/early_stop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::reduce {
namespace {

using testing::HasSubstr;

constexpr statistics::WatchedValue kGood{1, 1};
constexpr statistics::WatchedValue kBad{0, 0};
constexpr GateValues kPassed{kGood, kGood, kGood, kGood};
constexpr GateValues kFailed{kGood, kBad, kGood, kGood};

GateWatch watch(std::uint64_t passed, std::uint64_t failed = 0) {
    GateWatch gates({}, 2000, 1);
    for (std::uint64_t i = 0; i < passed + failed; ++i)
        gates.add(i, i < passed ? kPassed : kFailed);
    return gates;
}

// A summary that says of all gates what is wanted.
job::Summary summary(bool passed) {
    job::Summary summary;
    for (const job::GateInfo& info : job::kGates)
        (summary.gates.*info.gate).passed = true;
    summary.gates.pass_rate.passed = passed;
    summary.release_ready = passed;
    return summary;
}

TEST(EarlyStop, EndsARunWhoseGatesAreCertainAndWhoseSummarySaysTheSame) {
    EarlyStop stop;
    EXPECT_TRUE(stop.wants_summary(watch(400)));
    EXPECT_TRUE(stop.may_end(watch(400), summary(true)));
    EXPECT_TRUE(stop.may_end(watch(0, 100), summary(false)));
    EXPECT_EQ(stop.note(), "");
}

TEST(EarlyStop, AsksNothingOfARunThatIsOpen) {
    EarlyStop stop;
    EXPECT_FALSE(stop.wants_summary(watch(20)));
    EXPECT_FALSE(stop.may_end(watch(20), summary(true)));
}

TEST(EarlyStop, GoesOnWhereTheSummaryDisagreesAndLooksAgainATenthLater) {
    EarlyStop stop;
    ASSERT_TRUE(stop.wants_summary(watch(400)));
    EXPECT_FALSE(stop.may_end(watch(400), summary(false)));
    EXPECT_THAT(stop.note(), HasSubstr("the summary of what is there does not say so yet"));
    EXPECT_FALSE(stop.wants_summary(watch(440)));
    EXPECT_TRUE(stop.wants_summary(watch(441)));
    EXPECT_TRUE(stop.may_end(watch(441), summary(true)));
}

TEST(EarlyStop, GoesOnWhereWhatCameLastMovedTheFiguresAlthoughTheSummaryAgrees) {
    EarlyStop stop;
    ASSERT_TRUE(stop.wants_summary(watch(400)));
    EXPECT_FALSE(stop.may_end(watch(400, 30), summary(true)));
    EXPECT_THAT(stop.note(), HasSubstr("not ended early: the pass rate moved from 1.000"));
}

TEST(EarlyStop, GoesOnWhereTheSummaryIsNotSure) {
    job::Summary unsure = summary(true);
    unsure.gates.latency_e2e_p95_ms.open_because = {job::OpenReason::interval};
    EXPECT_FALSE(agrees(watch(400), unsure));
    job::Summary few = summary(true);
    few.extra.gate_decisions[0].doubt = job::Doubt::few_samples;
    EXPECT_FALSE(agrees(watch(400), few)) << "clear, and not decided";
    job::Summary unmeasured = summary(true);
    unmeasured.extra.could_measure = job::Measured::partial;
    EXPECT_FALSE(agrees(watch(400), unmeasured));
}

TEST(EarlyStop, NeedsNoCertaintyOfGatesThatDidNotFailTheRun) {
    job::Summary failed = summary(false);
    failed.gates.latency_e2e_p95_ms.open_because = {job::OpenReason::interval};
    EXPECT_TRUE(agrees(watch(0, 100), failed));
    failed.gates.pass_rate.open_because = {job::OpenReason::unscored};
    EXPECT_FALSE(agrees(watch(0, 100), failed));
}

TEST(EarlyStop, SaysWhatMovesAndGoesOnWhileItDoes) {
    EarlyStop stop;
    const GateWatch moving = watch(400, 30);
    ASSERT_NE(moving.verdict(), GateWatch::Verdict::open);
    EXPECT_FALSE(stop.wants_summary(moving));
    EXPECT_THAT(stop.note(), HasSubstr("not ended early: the pass rate moved from 1.000 in the "
                                       "first third of the samples to 0.7"));
    EXPECT_TRUE(stop.wants_summary(watch(800)));
}

TEST(EarlyStop, DoesNotTrustAFewSamplesAtTheBeginning) {
    EarlyStop stop;
    ASSERT_EQ(watch(0, 29).verdict(), GateWatch::Verdict::fail);
    EXPECT_FALSE(stop.wants_summary(watch(0, 29)));
    EXPECT_TRUE(stop.wants_summary(watch(0, 30)));
}

TEST(EarlyStop, TrustsThemWhereTheRestCannotTurnTheVerdict) {
    EarlyStop stop;
    job::Policy::Gates strict;
    strict.min_pass_rate = 1;
    GateWatch gates(strict, 2000, 1);
    gates.add(0, kFailed);
    EXPECT_TRUE(stop.wants_summary(gates)) << "one failure decides it";
}

}  // namespace
}  // namespace evalfleet::reduce
