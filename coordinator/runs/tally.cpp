#include "coordinator/runs/tally.hpp"

#include "common/job/measured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::runs {

namespace {

Tally::Retry retry_of(const job::TrialRecord& record) {
    // Nobody gives a label because the model is asked again.
    if (record.evaluator_error == job::EvaluatorError::missing_label) return Tally::Retry::no;
    if (job::is_unmeasured(job::TrialEnd::of(record))) return Tally::Retry::unmeasured;
    const bool is_refused = record.error_kind == job::CallError::http_4xx ||
                            record.error_kind == job::CallError::malformed_response;
    return is_refused ? Tally::Retry::refused : Tally::Retry::no;
}

void note(const std::string& name, std::set<std::string>& names) {
    if (!name.empty() && names.size() < Tally::kMaxVersions) names.insert(name);
}

}  // namespace

Tally::Trial Tally::of(const job::TrialRecord& record, const job::Policy& policy) {
    return {record.rubric_passed,
            !job::is_answered(record) || record.evaluator_error.has_value(),
            record.model_reported.value_or(""),
            record.system_fingerprint.value_or(""),
            record.failure_label,
            record.error_kind,
            record.evaluator_error,
            job::is_answered(record),
            record.http_status,
            record.evaluator_http_status,
            record.error_message.value_or(record.evaluator_error_message.value_or("")),
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.attempts.value_or(0))),
            record.setbacks.contains(to_string(job::CallError::http_4xx)),
            reduce::gate_values(record, policy.gates),
            scoring::spending_of(record),
            record.latency_e2e_ms,
            record.evaluator_latency_ms,
            retry_of(record)};
}

void Tally::add(const Trial& trial) {
    ++count_;
    passed_ += trial.passed ? 1 : 0;
    errored_ += trial.errored ? 1 : 0;
    spent_ += trial.spent;
    if (trial.model_ms) model_ms_.add(*trial.model_ms);
    if (trial.judge_ms) judge_ms_.add(*trial.judge_ms);
    note(trial.model_reported, versions_);
    note(trial.system_fingerprint, fingerprints_);
}

void Tally::take_back_failed() noexcept {
    --count_;
    --errored_;
}

std::optional<std::string> drift_note(const Tally& tally) {
    std::vector<std::string> notes;
    if (tally.model_versions().size() > 1)
        notes.push_back(
            fmt::format("model version drift: {}", fmt::join(tally.model_versions(), ", ")));
    if (tally.fingerprints().size() > 1)
        notes.push_back(
            fmt::format("system_fingerprint drift: {}", fmt::join(tally.fingerprints(), ", ")));
    if (notes.empty()) return std::nullopt;
    return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace evalfleet::runs
