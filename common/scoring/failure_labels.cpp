#include "common/scoring/failure_labels.hpp"

#include <bitset>

namespace evalfleet::scoring {

namespace {

using job::FailureLabel;
using job::TrialRecord;
using Labels = std::bitset<job::kFailureLabelCount>;

bool from_judge(const TrialRecord& record) {
    return record.hallucination_source == job::HallucinationSource::judge;
}

bool over_latency_limit(const TrialRecord& record, const job::Policy& policy) {
    return record.latency_e2e_ms && *record.latency_e2e_ms > policy.pass.max_latency_e2e_ms;
}

/// Rules 3 to 10, which look at an answer and its scores: the first that holds. An empty score
/// equals no number.
std::optional<FailureLabel> label_of_answer(const TrialRecord& record) {
    if (record.judge_failure_label) {
        if (const auto own = job::from_name<FailureLabel>(*record.judge_failure_label)) return own;
    }
    if (record.format_check_passed == false) return FailureLabel::format_or_schema_violation;
    if (from_judge(record) && record.hallucination_score == 2) {
        return FailureLabel::hallucinated_fact;
    }
    if (record.faithfulness_score == 0) return FailureLabel::unfaithful_to_context;
    if (record.correctness_score == 0) return FailureLabel::incorrect_answer;
    if (record.correctness_score == 1) return FailureLabel::missing_required_content;
    if (from_judge(record) && record.hallucination_score == 1) {
        return FailureLabel::hallucinated_fact;
    }
    if (record.faithfulness_score == 1) return FailureLabel::unfaithful_to_context;
    return std::nullopt;
}

FailureLabel primary_label(const TrialRecord& record, const job::Policy& policy) {
    if (record.timed_out) return FailureLabel::timeout_or_latency_exceeded;
    if (!job::is_answered(record)) return FailureLabel::other;
    if (const auto label = label_of_answer(record)) return *label;
    if (over_latency_limit(record, policy)) return FailureLabel::timeout_or_latency_exceeded;
    return FailureLabel::other;
}

/// Every label but `other` whose own condition holds. The judge's own label is not among them: it
/// can only be the primary one.
Labels holding_labels(const TrialRecord& record, const job::Policy& policy) {
    Labels labels;
    const auto set = [&labels](FailureLabel label, bool holds) {
        labels[static_cast<std::size_t>(label)] = holds;
    };
    set(FailureLabel::timeout_or_latency_exceeded,
        record.timed_out || over_latency_limit(record, policy));
    if (!job::is_answered(record)) return labels;
    set(FailureLabel::incorrect_answer, record.correctness_score == 0);
    set(FailureLabel::missing_required_content, record.correctness_score == 1);
    set(FailureLabel::unfaithful_to_context,
        record.faithfulness_score == 0 || record.faithfulness_score == 1);
    set(FailureLabel::hallucinated_fact,
        from_judge(record) && (record.hallucination_score == 1 || record.hallucination_score == 2));
    set(FailureLabel::format_or_schema_violation, record.format_check_passed == false);
    return labels;
}

}  // namespace

void label_failure(TrialRecord& record, const job::Policy& policy) {
    record.failure_label.reset();
    record.failure_labels_secondary.clear();
    if (record.rubric_passed && record.spec_passed) return;
    record.failure_label = primary_label(record, policy);
    Labels labels = holding_labels(record, policy);
    labels[static_cast<std::size_t>(*record.failure_label)] = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i]) record.failure_labels_secondary.push_back(static_cast<FailureLabel>(i));
    }
}

}  // namespace evalfleet::scoring
