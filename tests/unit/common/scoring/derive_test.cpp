#include "common/scoring/derive.hpp"

#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using job::FailureLabel;
using job::HallucinationSource;
using job::TrialRecord;

TrialRecord good_trial() {
    TrialRecord record;
    record.answer = "Paris";
    record.latency_e2e_ms = 1500;
    record.input_tokens = 100;
    record.output_tokens = 50;
    record.correctness_score = 2;
    record.faithfulness_score = 2;
    return record;
}

TrialRecord derived(TrialRecord record, const job::Policy& policy = {}) {
    derive(record, policy);
    return record;
}

TEST(Derive, GivesAGoodTrialFullScoreAndNoLabel) {
    const TrialRecord record = derived(good_trial());
    EXPECT_EQ(record.total_tokens, 150);
    EXPECT_EQ(record.output_input_ratio, 0.5);
    EXPECT_EQ(record.hallucination_score, 0);
    EXPECT_EQ(record.hallucination_source, HallucinationSource::derived);
    EXPECT_EQ(record.sample_score, 1.0);
    EXPECT_TRUE(record.rubric_passed);
    EXPECT_TRUE(record.spec_passed);
    EXPECT_FALSE(record.failure_label);
}

TEST(Derive, SumsTheWeightedNormsFromLeftToRight) {
    TrialRecord trial = good_trial();
    trial.correctness_score = 1;
    trial.latency_e2e_ms = 7000;
    trial.input_tokens = 2900;
    const TrialRecord record = derived(trial);
    EXPECT_EQ(record.sample_score,
              0.45 * 0.5 + 0.30 * 1.0 + 0.15 * (3000.0 / 7000.0) + 0.10 * (2000.0 / 2950.0));
}

TEST(Derive, DividesByAtLeastOneInputToken) {
    TrialRecord trial = good_trial();
    trial.input_tokens = 0;
    EXPECT_EQ(derived(trial).output_input_ratio, 50.0);
}

TEST(Derive, ForgetsTheScoresOfANonResponsiveTrialButNotItsUsage) {
    TrialRecord trial = good_trial();
    trial.answer = "";
    trial.finish_reason = "length";
    trial.tokens_source = job::TokensSource::provider;
    trial.cache_read_input_tokens = 5;
    trial.estimated_cache_savings_usd = 0.5;
    trial.cost_usd = 0.25;
    const TrialRecord record = derived(trial);
    EXPECT_EQ(record.total_tokens, 150) << "what was billed counts";
    EXPECT_EQ(record.output_input_ratio, 0.5);
    EXPECT_EQ(record.tokens_source, job::TokensSource::provider);
    EXPECT_EQ(record.estimated_cache_savings_tokens, 5);
    EXPECT_EQ(record.estimated_cache_savings_usd, 0.5);
    EXPECT_EQ(record.cost_usd, 0.25);
    EXPECT_EQ(record.correctness_score, 0);
    EXPECT_FALSE(record.faithfulness_score || record.hallucination_score);
    EXPECT_FALSE(record.hallucination_source);
    EXPECT_FALSE(record.latency_norm || record.token_efficiency_norm);
    EXPECT_EQ(record.sample_score, 0.0);
    EXPECT_EQ(record.failure_label, FailureLabel::other);
}

TEST(Derive, LeavesTheVersionThatARecordCameWith) {
    EXPECT_EQ(derived(good_trial()).evaluation_schema_version, job::SchemaVersion::v1_1);
    TrialRecord old = good_trial();
    old.evaluation_schema_version = job::SchemaVersion::v1_0;
    EXPECT_EQ(derived(old).evaluation_schema_version, job::SchemaVersion::v1_0);
}

TEST(Derive, CountsATimeOutAsNonResponsiveEvenWithText) {
    TrialRecord trial = good_trial();
    trial.timed_out = true;
    const TrialRecord record = derived(trial);
    EXPECT_EQ(record.correctness_score, 0);
    EXPECT_EQ(record.failure_label, FailureLabel::timeout_or_latency_exceeded);
}

TEST(Derive, CountsWhiteSpaceAsAnAnswer) {
    TrialRecord trial = good_trial();
    trial.answer = " \n";
    EXPECT_TRUE(derived(trial).rubric_passed);
}

TEST(Derive, KeepsLatencyAndTokenNormsOfAnEvaluatorError) {
    TrialRecord trial = good_trial();
    trial.evaluator_error = job::EvaluatorError::parse_error;
    const TrialRecord record = derived(trial);
    EXPECT_FALSE(record.correctness_score || record.accuracy_norm || record.faithfulness_norm);
    EXPECT_EQ(record.latency_norm, 1.0);
    EXPECT_EQ(record.token_efficiency_norm, 1.0);
    EXPECT_FALSE(record.sample_score);
    EXPECT_FALSE(record.rubric_passed);
    EXPECT_EQ(record.failure_label, FailureLabel::other);
}

TEST(Derive, ReadsAHallucinationScoreOnlyFromTheJudge) {
    TrialRecord trial = good_trial();
    trial.hallucination_score = 2;
    EXPECT_EQ(derived(trial).hallucination_score, 0);
    trial.hallucination_source = HallucinationSource::judge;
    EXPECT_EQ(derived(trial).hallucination_score, 2);
    EXPECT_EQ(derived(trial).hallucination_source, HallucinationSource::judge);
    trial.hallucination_score.reset();
    EXPECT_FALSE(derived(trial).hallucination_source);
}

TEST(Derive, NeverPassesANullWhateverThePolicySays) {
    job::Policy policy;
    policy.pass = {0, 0, 1e300, 1e300};
    TrialRecord trial = good_trial();
    trial.latency_e2e_ms.reset();
    const TrialRecord record = derived(trial, policy);
    EXPECT_FALSE(record.rubric_passed);
    EXPECT_FALSE(record.latency_norm);
    EXPECT_FALSE(record.sample_score);
    EXPECT_TRUE(record.spec_passed);
    TrialRecord without_tokens = good_trial();
    without_tokens.input_tokens.reset();
    EXPECT_FALSE(derived(without_tokens, policy).rubric_passed);
    TrialRecord without_accuracy = good_trial();
    without_accuracy.correctness_score.reset();
    EXPECT_FALSE(derived(without_accuracy, policy).rubric_passed);
    TrialRecord without_faithfulness = good_trial();
    without_faithfulness.faithfulness_score.reset();
    EXPECT_FALSE(derived(without_faithfulness, policy).rubric_passed);
}

TEST(Derive, TakesEveryLimitOfTheRubricAsInclusive) {
    TrialRecord trial = good_trial();
    trial.correctness_score = 1;
    trial.faithfulness_score = 1;
    trial.latency_e2e_ms = 8000;
    trial.input_tokens = 5950;
    EXPECT_TRUE(derived(trial).rubric_passed);
    // One beyond any of them, and all others still on theirs.
    using Change = void (*)(TrialRecord&);
    for (const Change change : {Change{[](TrialRecord& one) { one.correctness_score = 0; }},
                                Change{[](TrialRecord& one) { one.faithfulness_score = 0; }},
                                Change{[](TrialRecord& one) { one.latency_e2e_ms = 8000.001; }},
                                Change{[](TrialRecord& one) { one.input_tokens = 5951; }}}) {
        TrialRecord beyond = trial;
        change(beyond);
        EXPECT_FALSE(derived(beyond).rubric_passed);
    }
}

TEST(Derive, ChangesNothingWhenRepeated) {
    for (const bool answered : {true, false}) {
        TrialRecord trial = good_trial();
        trial.faithfulness_score = 1;
        if (!answered) trial.error_kind = job::CallError::http_5xx;
        const TrialRecord once = derived(trial);
        EXPECT_EQ(derived(once), once);
    }
}

}  // namespace
}  // namespace evalfleet::scoring
