#include "coordinator/report/findings.hpp"

namespace evalfleet::report {

void Findings::add(const job::TrialRecord& record) {
    ++trials_;
    if (record.cost_usd) cost_usd_ = cost_usd_.value_or(0) + *record.cost_usd;
    if (record.attempts.value_or(1) > 1) ++retried_;
    judge_tokens_ +=
        record.evaluator_input_tokens.value_or(0) + record.evaluator_output_tokens.value_or(0);
    if (record.error_kind) ++call_errors_[*record.error_kind];
    if (record.evaluator_error) ++evaluator_errors_[*record.evaluator_error];
    if (!record.failure_label) return;
    ++failed_;
    auto& examples = examples_[static_cast<std::size_t>(*record.failure_label)];
    if (examples.size() < kMaxExamplesPerLabel) examples.push_back(record);
}

std::vector<const job::TrialRecord*> Findings::examples() const {
    std::vector<const job::TrialRecord*> all;
    for (const auto& of_label : examples_) {
        for (const job::TrialRecord& record : of_label)
            all.push_back(&record);
    }
    return all;
}

}  // namespace evalfleet::report
