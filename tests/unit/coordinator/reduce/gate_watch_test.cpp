#include "coordinator/reduce/gate_watch.hpp"

#include "coordinator/reduce/trial_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace evalfleet::reduce {
namespace {

using Verdict = GateWatch::Verdict;

job::TrialRecord good() {
    job::TrialRecord record;
    record.answer = "x";
    record.correctness_score = 2;
    record.sample_score = 0.99;
    record.rubric_passed = true;
    record.faithfulness_score = 2;
    record.latency_e2e_ms = 100;
    return record;
}

job::TrialRecord bad() {
    job::TrialRecord record = good();
    record.sample_score = 0.1;
    record.rubric_passed = false;
    return record;
}

GateValues values(const job::TrialRecord& record) {
    return gate_values(record, {});
}

TEST(GateWatch, IsCertainOfARunThatIsGoodOrBadAllAlong) {
    GateWatch passing({}, 2000, 1);
    GateWatch failing({}, 2000, 1);
    std::uint64_t position = 0;
    for (; position < 400; ++position) {
        passing.add(position, values(good()));
        failing.add(position, values(bad()));
    }
    EXPECT_EQ(passing.verdict(), Verdict::pass);
    EXPECT_EQ(failing.verdict(), Verdict::fail);
}

TEST(GateWatch, FailsByOneGateAlone) {
    job::TrialRecord slow = good();
    slow.latency_e2e_ms = 60'000;
    GateWatch watch({}, 2000, 1);
    for (std::uint64_t i = 0; i < 100; ++i)
        watch.add(i, values(slow));
    EXPECT_EQ(watch.verdict(), Verdict::fail);
}

TEST(GateWatch, WaitsForTheSlowTrialsOfASampleAndForTheSamplesBeforeIt) {
    GateWatch watch({}, 2000, 2);
    for (std::uint64_t sample = 1; sample < 400; ++sample)
        for (std::uint64_t repeat = 0; repeat < 2; ++repeat)
            watch.add(sample * 2 + repeat, values(bad()));
    EXPECT_EQ(watch.verdict(), Verdict::open) << "the first sample is not there";
    watch.add(0, values(bad()));
    EXPECT_EQ(watch.count_samples(), 0U);
    watch.add(1, values(bad()));
    EXPECT_EQ(watch.count_samples(), 400U);
    EXPECT_EQ(watch.verdict(), Verdict::fail);
}

TEST(GateWatch, IsNeverCertainOfWhatNobodyScored) {
    job::TrialRecord unscored = good();
    unscored.sample_score.reset();
    unscored.faithfulness_score.reset();
    GateWatch watch({}, 10'000, 1);
    for (std::uint64_t i = 0; i < 1000; ++i)
        watch.add(i, values(unscored));
    EXPECT_EQ(watch.verdict(), Verdict::open);
}

TEST(GateWatch, TakesAnAnswerWithoutAScoreForAPassAndForAFailure) {
    job::TrialRecord unscored = good();
    unscored.rubric_passed = false;
    unscored.correctness_score.reset();
    const GateValues of = values(unscored);
    EXPECT_EQ(of[1].least, 0);
    EXPECT_EQ(of[1].greatest, 1);
    unscored.answer.reset();
    unscored.error_kind = job::CallError::empty_response;
    EXPECT_EQ(values(unscored)[1].greatest, 0) << "without an answer it failed";
    EXPECT_EQ(values(unscored)[3].neutral, 1) << "and its latency is not of the gate's population";
    EXPECT_EQ(values(unscored)[3].greatest, 0);
    unscored.faithfulness_score.reset();
    EXPECT_EQ(values(unscored)[2].neutral, 1) << "nor is its faithfulness";
}

TEST(GateWatch, KnowsNothingOfACallThatInfrastructureLost) {
    job::TrialRecord lost = good();
    lost.answer.reset();
    lost.error_kind = job::CallError::http_5xx;
    lost.sample_score = 0;
    for (const statistics::WatchedValue& value : values(lost)) {
        EXPECT_EQ(value.least, 0);
        EXPECT_EQ(value.greatest, 1);
        EXPECT_EQ(value.neutral, 0);
    }
}

// 8 % of the calls end after 15 s with a response that cannot be read: the p95 of the summary
// leaves them out, and so does the watch.
TEST(GateWatch, LeavesTheLatencyOfFailedCallsOut) {
    job::TrialRecord failed = good();
    failed.answer.reset();
    failed.error_kind = job::CallError::malformed_response;
    failed.latency_e2e_ms = 15'000;
    failed.sample_score = 0;
    failed.rubric_passed = false;
    failed.faithfulness_score.reset();
    GateWatch watch({}, 2000, 1);
    for (std::uint64_t i = 0; i < 600; ++i)
        watch.add(i, values(i % 25 < 2 ? failed : good()));
    EXPECT_EQ(watch.verdict_of(3), Verdict::pass) << "all others are fast";
    failed.timed_out = true;
    failed.error_kind = job::CallError::timeout;
    GateWatch slow({}, 2000, 1);
    for (std::uint64_t i = 0; i < 600; ++i)
        slow.add(i, values(i % 25 < 2 ? failed : good()));
    EXPECT_EQ(slow.verdict_of(3), Verdict::fail) << "time-outs are latencies of the model";
}

TEST(GateWatch, TakesAMeanOfManyRepeatsForExactlyOne) {
    job::Policy::Gates strict;
    strict.min_pass_rate = 1;
    GateWatch watch(strict, 100, 10);
    for (std::uint64_t i = 0; i < 500; ++i)
        watch.add(i, gate_values(good(), strict));
    EXPECT_EQ(watch.verdict_of(1), Verdict::open) << "nothing failed yet";
}

TEST(GateWatch, SeesThatAFigureMovesWithTime) {
    job::TrialRecord failing = good();
    failing.rubric_passed = false;
    GateWatch steady({}, 2000, 1);
    GateWatch falling({}, 2000, 1);
    for (std::uint64_t i = 0; i < 600; ++i) {
        steady.add(i, values(i % 10 == 0 ? failing : good()));
        falling.add(i, values(i > 300 && i % 5 == 0 ? failing : good()));
    }
    EXPECT_FALSE(steady.find_drift());
    ASSERT_TRUE(falling.find_drift());
    EXPECT_EQ(falling.find_drift()->gate, 1U);
    EXPECT_NEAR(falling.find_drift()->first, 1, 0.01);
    EXPECT_NEAR(falling.find_drift()->last, 0.8, 0.02);
}

// Whole runs whose true pass rate is just below the gate, in random order: a pass before the end
// would be wrong.
TEST(GateWatch, PassesAFailingRunInLessThanOneOfTwenty) {
    std::mt19937 random(11);
    int wrong = 0;
    constexpr int kRuns = 400;
    constexpr std::uint64_t kSamples = 600;
    for (int run = 0; run < kRuns; ++run) {
        const TrialOrder order("run-" + std::to_string(random()), kSamples, 1);
        GateWatch watch({}, kSamples, 1);
        job::TrialRecord failing = good();
        failing.rubric_passed = false;
        for (std::uint64_t i = 0; i < kSamples && watch.verdict() == Verdict::open; ++i)
            watch.add(i, values(order.at(i) < kSamples * 85 / 100 - 1 ? good() : failing));
        wrong += watch.verdict() == Verdict::pass ? 1 : 0;
    }
    EXPECT_LE(wrong, kRuns / 20);
}

TEST(TrialOrder, IsAPermutationThatIsUndoneAndKeepsRepeatsTogether) {
    const TrialOrder order("r1", 50, 3);
    std::set<std::uint64_t> seen;
    for (std::uint64_t position = 0; position < 150; ++position) {
        const std::uint64_t index = order.at(position);
        EXPECT_TRUE(seen.insert(index).second);
        EXPECT_EQ(order.position(index), position);
        EXPECT_EQ(index % 3, position % 3);
    }
    EXPECT_EQ(*seen.rbegin(), 149U);
}

TEST(TrialOrder, IsTheSameForOneRunAndAnotherForAnother) {
    const TrialOrder one("r1", 50, 1);
    const TrialOrder same("r1", 50, 1);
    const TrialOrder other("r2", 50, 1);
    bool differs = false;
    for (std::uint64_t i = 0; i < 50; ++i) {
        EXPECT_EQ(one.at(i), same.at(i));
        differs = differs || one.at(i) != other.at(i);
    }
    EXPECT_TRUE(differs);
    const TrialOrder plain;
    EXPECT_EQ(plain.at(7), 7U);
    EXPECT_EQ(plain.position(7), 7U);
}

}  // namespace
}  // namespace evalfleet::reduce
