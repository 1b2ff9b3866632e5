#include "coordinator/reduce/verdict.hpp"

#include "coordinator/reduce/block_reducer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace evalfleet::reduce {
namespace {

using job::CiMethod;
using job::OpenReason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TrialRow good(std::uint32_t sample, std::uint32_t repeat = 1) {
    TrialRow row;
    row.sample_index = sample;
    row.repeat = repeat;
    row.accuracy = 2;
    row.faithfulness = 2;
    row.rubric_passed = 1;
    row.latency_e2e_ms = 100;
    row.sample_score = 0.9;
    return row;
}

TrialRow unscored(std::uint32_t sample) {
    TrialRow row = good(sample);
    row.accuracy = TrialRow::kNoScore;
    row.faithfulness = TrialRow::kNoScore;
    row.rubric_passed = 0;
    row.sample_score = TrialRow::kNone;
    return row;
}

job::Gates judge(const std::vector<TrialRow>& rows, const job::Policy::Gates& limits = {}) {
    std::vector<std::uint32_t> indices(rows.size());
    std::iota(indices.begin(), indices.end(), 0U);
    const Population trials(rows, indices);
    const auto reduced = reduce_blocks(trials, {}, {.replicates = 200, .seed = 42, .threads = 1});
    return evaluate_gates(trials, reduced.blocks.rubric, limits);
}

std::vector<TrialRow> many_good(std::uint32_t samples, std::uint32_t repeats = 1) {
    std::vector<TrialRow> rows;
    for (std::uint32_t sample = 0; sample < samples; ++sample)
        for (std::uint32_t repeat = 1; repeat <= repeats; ++repeat)
            rows.push_back(good(sample, repeat));
    return rows;
}

double width(const job::Gate& gate) {
    return gate.observed.ci95->upper - gate.observed.ci95->lower;
}

TEST(Gates, AreClearForManyGoodTrials) {
    const job::Gates gates = judge(many_good(200));
    for (const job::GateInfo& info : job::kGates) {
        EXPECT_TRUE((gates.*info.gate).passed) << info.name;
        EXPECT_THAT((gates.*info.gate).open_because, IsEmpty()) << info.name;
        EXPECT_EQ((gates.*info.gate).samples, 200U) << info.name;
    }
    EXPECT_EQ(gates.pass_rate.ci_method, CiMethod::wilson);
    EXPECT_EQ(gates.aggregate_score.ci_method, CiMethod::bootstrap_or_t);
    EXPECT_EQ(gates.latency_e2e_p95_ms.ci_method, CiMethod::bootstrap_and_share);
}

TEST(Gates, TakeRepeatsThatAlwaysAgreeForOneTrial) {
    std::vector<TrialRow> once = many_good(100);
    std::vector<TrialRow> thrice = many_good(100, 3);
    for (auto* rows : {&once, &thrice}) {
        for (TrialRow& row : *rows)
            row.rubric_passed = row.sample_index % 4 != 0 ? 1 : 0;
    }
    EXPECT_EQ(judge(thrice).pass_rate.ci_method, CiMethod::wilson_clustered);
    // One percent of slack: the spread is estimated with m - 1.
    EXPECT_NEAR(width(judge(thrice).pass_rate), width(judge(once).pass_rate), 0.002);
}

TEST(Gates, LeaveTheScoreOfFewSamplesOpen) {
    const job::Gate few = judge(many_good(5, 10)).aggregate_score;
    EXPECT_TRUE(few.passed);
    EXPECT_EQ(few.ci_method, CiMethod::bootstrap);
    EXPECT_THAT(few.open_because, ElementsAre(OpenReason::small_sample));
    EXPECT_THAT(judge(many_good(6)).aggregate_score.open_because, IsEmpty());
}

TEST(Gates, WidenTheBootstrapOfAFewSamplesByStudentsT) {
    std::vector<TrialRow> rows = many_good(6);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].sample_score = 0.8 + 0.02 * static_cast<double>(i);
    const job::Gate gate = judge(rows).aggregate_score;
    // t(5) = 2.57 standard errors of 0.0374 / sqrt(6).
    EXPECT_NEAR(gate.observed.ci95->lower, 0.85 - 2.57 * 0.03742 / std::sqrt(6), 5e-4);
}

TEST(Gates, AreOpenWhereAnswersWithoutAScoreCouldTurnThem) {
    std::vector<TrialRow> rows = many_good(180);
    for (std::uint32_t sample = 180; sample < 200; ++sample)
        rows.push_back(unscored(sample));
    const job::Gates gates = judge(rows);
    EXPECT_TRUE(gates.pass_rate.passed);
    EXPECT_THAT(gates.pass_rate.open_because, IsEmpty()) << "they count as failed already";
    EXPECT_THAT(gates.faithfulness_failure_rate.open_because, ElementsAre(OpenReason::unscored));
    EXPECT_THAT(gates.aggregate_score.open_because, IsEmpty());
    EXPECT_THAT(gates.latency_e2e_p95_ms.open_because, IsEmpty());
    job::Policy::Gates strict;
    strict.min_pass_rate = 0.95;
    strict.min_aggregate_score = 0.85;
    EXPECT_FALSE(judge(rows, strict).pass_rate.passed);
    EXPECT_THAT(judge(rows, strict).pass_rate.open_because, ElementsAre(OpenReason::unscored));
    strict.min_pass_rate = 0.93;
    EXPECT_THAT(judge(rows, strict).pass_rate.open_because,
                ElementsAre(OpenReason::interval, OpenReason::unscored));
    EXPECT_THAT(judge(rows, strict).aggregate_score.open_because,
                ElementsAre(OpenReason::unscored));
}

TEST(Gates, AskOfALatencyHowManyTrialsAreAboveItsLimit) {
    std::vector<TrialRow> rows = many_good(20);
    job::Gate gate = judge(rows).latency_e2e_p95_ms;
    EXPECT_TRUE(gate.passed);
    EXPECT_EQ(gate.share_over->value, 0.0);
    EXPECT_THAT(gate.open_because, ElementsAre(OpenReason::interval))
        << "none of twenty may be one of ten";
    for (TrialRow& row : rows)
        row.latency_e2e_ms = row.sample_index < 10 ? 20'000 : 100;
    gate = judge(rows).latency_e2e_p95_ms;
    EXPECT_FALSE(gate.passed);
    EXPECT_THAT(gate.open_because, IsEmpty());
    for (TrialRow& row : rows)
        row.response = static_cast<std::uint32_t>(Response::failed) & 3U;
    gate = judge(rows).latency_e2e_p95_ms;
    EXPECT_EQ(gate.share_over, job::Estimate{}) << "none of the Rubric's population is left";
    EXPECT_THAT(gate.open_because, ElementsAre(OpenReason::interval));
}

TEST(Gates, FailAndAreOpenWithoutTrials) {
    const job::Gates gates = judge({});
    for (const job::GateInfo& info : job::kGates) {
        EXPECT_FALSE((gates.*info.gate).passed);
        EXPECT_EQ((gates.*info.gate).certainty(), job::Certainty::uncertain);
    }
}

}  // namespace
}  // namespace evalfleet::reduce
