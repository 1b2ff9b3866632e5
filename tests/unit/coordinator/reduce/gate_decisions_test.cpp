#include "coordinator/reduce/gate_decisions.hpp"

#include "coordinator/reduce/block_reducer.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace evalfleet::reduce {
namespace {

using job::Doubt;

enum Which : std::size_t { score, pass_rate, faithfulness, latency };

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

TrialRow bad(std::uint32_t sample, std::uint32_t repeat = 1) {
    TrialRow row = good(sample, repeat);
    row.accuracy = 0;
    row.faithfulness = 0;
    row.rubric_passed = 0;
    row.sample_score = 0.1;
    row.latency_e2e_ms = 60'000;
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

TrialRow lost(std::uint32_t sample) {
    TrialRow row = bad(sample);
    row.response = static_cast<std::uint32_t>(Response::failed) & 3U;
    row.lost = 1;
    row.faithfulness = TrialRow::kNoScore;
    row.sample_score = 0;
    return row;
}

struct Judged {
    job::Gates gates;
    job::GateDecisions decisions;

    [[nodiscard]] bool is_clear(Which which) const {
        return (gates.*job::kGates[which].gate).certainty() == job::Certainty::clear;
    }
    [[nodiscard]] bool is_decided(Which which) const {
        return job::is_decided(gates.*job::kGates[which].gate, decisions[which]);
    }
};

Judged judge(const std::vector<TrialRow>& rows, const job::Policy::Gates& limits = {}) {
    std::vector<std::uint32_t> indices(rows.size());
    std::iota(indices.begin(), indices.end(), 0U);
    const Population trials(rows, indices);
    const auto reduced = reduce_blocks(trials, {}, {.replicates = 200, .seed = 42, .threads = 1});
    Judged judged{evaluate_gates(trials, reduced.blocks.rubric, limits), {}};
    judged.decisions = decide_gates(trials, judged.gates, limits);
    return judged;
}

std::vector<TrialRow> many(std::uint32_t samples, std::uint32_t repeats = 1,
                           TrialRow (*make)(std::uint32_t, std::uint32_t) = good) {
    std::vector<TrialRow> rows;
    for (std::uint32_t sample = 0; sample < samples; ++sample)
        for (std::uint32_t repeat = 1; repeat <= repeats; ++repeat)
            rows.push_back(make(sample, repeat));
    return rows;
}

TEST(GateDecisions, AreMadeWithManySamples) {
    const Judged judged = judge(many(200));
    for (const Which which : {score, pass_rate, faithfulness, latency})
        EXPECT_TRUE(judged.is_decided(which)) << job::kGates[which].name;
}

TEST(GateDecisions, AreNotMadeFromAFewScoresThatAreAllAlike) {
    for (const std::uint32_t samples : {6U, 10U, 15U}) {
        const Judged judged = judge(many(samples));
        EXPECT_TRUE(judged.is_clear(score)) << "the interval of the document has no width";
        EXPECT_FALSE(judged.is_decided(score)) << samples;
        EXPECT_EQ(judged.decisions[score].doubt, Doubt::few_samples);
        EXPECT_GT(judged.decisions[score].samples_needed.value(), samples);
    }
}

TEST(GateDecisions, NameTheNumberOfSamplesThatDoes) {
    const auto needed = judge(many(10)).decisions[score].samples_needed.value();
    EXPECT_TRUE(judge(many(static_cast<std::uint32_t>(needed))).is_decided(score));
    EXPECT_FALSE(judge(many(static_cast<std::uint32_t>(needed) - 1)).is_decided(score));
}

TEST(GateDecisions, DoNotGrowWithIdenticalRepeats) {
    EXPECT_FALSE(judge(many(10, 10)).is_decided(score));
    EXPECT_NEAR(judge(many(10, 10)).decisions[pass_rate].p_value.value(),
                judge(many(10)).decisions[pass_rate].p_value.value(), 1e-12);
}

TEST(GateDecisions, AreMadeSoonWhereEverythingIsBad) {
    const Judged judged = judge(many(6, 1, bad));
    for (const Which which : {score, pass_rate, faithfulness, latency}) {
        EXPECT_FALSE((judged.gates.*job::kGates[which].gate).passed);
        EXPECT_TRUE(judged.is_decided(which)) << job::kGates[which].name;
    }
}

TEST(GateDecisions, LookAtASampleByHowManyOfItsTrialsHaveAValue) {
    // 60 samples of which a third has one good trial, the others three: all good nevertheless.
    std::vector<TrialRow> rows = many(60, 3);
    std::erase_if(rows,
                  [](const TrialRow& row) { return row.sample_index % 3 == 0 && row.repeat > 1; });
    const double all = judge(many(60, 3)).decisions[pass_rate].p_value.value();
    const double some = judge(rows).decisions[pass_rate].p_value.value();
    EXPECT_GT(some, all) << "a sample with one trial tells less than one with three";
    EXPECT_LT(some, judge(many(40, 3)).decisions[pass_rate].p_value.value());
}

TEST(GateDecisions, DoNotBlameTheModelForAnOutage) {
    std::vector<TrialRow> rows = many(200);
    for (std::uint32_t sample = 0; sample < 44; ++sample)
        rows[sample] = sample < 16 ? bad(sample) : lost(sample);
    const Judged judged = judge(rows);
    ASSERT_FALSE(judged.gates.pass_rate.passed);
    ASSERT_TRUE(judged.is_clear(pass_rate));
    EXPECT_FALSE(judged.is_decided(pass_rate));
}

TEST(GateDecisions, SayThatTrialsWouldHaveToBeMeasured) {
    std::vector<TrialRow> rows = many(200);
    for (std::uint32_t sample = 0; sample < 20; ++sample)
        rows[sample] = unscored(sample);
    job::Policy::Gates limits;
    limits.max_faithfulness_failure_rate = 0.12;
    const Judged judged = judge(rows, limits);
    ASSERT_TRUE(judged.is_clear(faithfulness));
    EXPECT_FALSE(judged.is_decided(faithfulness));
    EXPECT_EQ(judged.decisions[faithfulness].doubt, Doubt::unmeasured);
}

TEST(GateDecisions, AreNotMadeWithoutTrials) {
    const Judged judged = judge({});
    for (const Which which : {score, pass_rate, faithfulness, latency}) {
        EXPECT_FALSE(judged.is_decided(which)) << job::kGates[which].name;
        EXPECT_EQ(judged.decisions[which].p_value, std::nullopt);
    }
}

}  // namespace
}  // namespace evalfleet::reduce
