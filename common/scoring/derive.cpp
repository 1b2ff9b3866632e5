#include "common/scoring/derive.hpp"

#include "common/scoring/failure_labels.hpp"

#include <algorithm>

namespace evalfleet::scoring {

namespace {

using job::HallucinationSource;
using job::Policy;
using job::TrialRecord;

void derive_tokens(TrialRecord& record) {
    record.total_tokens.reset();
    record.output_input_ratio.reset();
    record.estimated_cache_savings_tokens = record.cache_read_input_tokens;
    if (!record.input_tokens || !record.output_tokens) return;
    record.total_tokens = *record.input_tokens + *record.output_tokens;
    record.output_input_ratio =
        static_cast<double>(*record.output_tokens) /
        static_cast<double>(std::max<std::int64_t>(*record.input_tokens, 1));
}

void derive_hallucination(TrialRecord& record) {
    if (record.hallucination_source != HallucinationSource::judge) {
        record.hallucination_score.reset();
        if (record.faithfulness_score) record.hallucination_score = 2 - *record.faithfulness_score;
        record.hallucination_source = HallucinationSource::derived;
    }
    if (!record.hallucination_score) record.hallucination_source.reset();
}

void forget_scores(TrialRecord& record) {
    record.correctness_score.reset();
    record.faithfulness_score.reset();
    record.hallucination_score.reset();
    record.hallucination_source.reset();
}

void forget_norms(TrialRecord& record) {
    record.accuracy_norm.reset();
    record.faithfulness_norm.reset();
    record.latency_norm.reset();
    record.token_efficiency_norm.reset();
}

/// min(1, reference / max(value, 1))
double norm(double reference, double value) {
    return std::min(1.0, reference / std::max(value, 1.0));
}

void derive_norms(TrialRecord& record, const Policy::Norms& norms) {
    forget_norms(record);
    if (record.correctness_score) record.accuracy_norm = *record.correctness_score / 2.0;
    if (record.faithfulness_score) record.faithfulness_norm = *record.faithfulness_score / 2.0;
    if (record.latency_e2e_ms) {
        record.latency_norm = norm(norms.latency_ref_ms, *record.latency_e2e_ms);
    }
    if (record.total_tokens) {
        record.token_efficiency_norm =
            norm(norms.tokens_ref, static_cast<double>(*record.total_tokens));
    }
}

/// Summed from left to right, as the Rubric writes it: the last bit depends on the order.
std::optional<double> weighted_score(const TrialRecord& record, const Policy::Weights& weights) {
    if (!record.accuracy_norm || !record.faithfulness_norm || !record.latency_norm ||
        !record.token_efficiency_norm) {
        return std::nullopt;
    }
    return weights.accuracy * *record.accuracy_norm +
           weights.faithfulness * *record.faithfulness_norm +
           weights.latency * *record.latency_norm +
           weights.token_efficiency * *record.token_efficiency_norm;
}

bool passes_rubric(const TrialRecord& record, const Policy::Pass& pass) {
    return record.correctness_score && *record.correctness_score >= pass.min_accuracy &&
           record.faithfulness_score && *record.faithfulness_score >= pass.min_faithfulness &&
           record.latency_e2e_ms && *record.latency_e2e_ms <= pass.max_latency_e2e_ms &&
           record.total_tokens &&
           static_cast<double>(*record.total_tokens) <= pass.max_total_tokens;
}

bool passes_specification(const TrialRecord& record) {
    return record.correctness_score == 2 && record.hallucination_score == 0;
}

void derive_non_responsive(TrialRecord& record) {
    forget_scores(record);
    forget_norms(record);
    record.correctness_score = 0;
    record.sample_score = 0.0;
}

void derive_answered(TrialRecord& record, const Policy& policy) {
    if (record.evaluator_error) forget_scores(record);
    derive_hallucination(record);
    derive_norms(record, policy.norms);
    record.sample_score = weighted_score(record, policy.weights);
}

}  // namespace

void derive(TrialRecord& record, const Policy& policy) {
    derive_tokens(record);
    if (job::is_answered(record)) {
        derive_answered(record, policy);
    } else {
        derive_non_responsive(record);
    }
    record.rubric_passed = passes_rubric(record, policy.pass);
    record.spec_passed = passes_specification(record);
    label_failure(record, policy);
}

}  // namespace evalfleet::scoring
