#include "coordinator/runs/reported_facts.hpp"

#include "common/providers/model_names.hpp"

#include <optional>
#include <utility>

namespace evalfleet::runs {

namespace {

constexpr std::size_t kMostNames = 64;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::string_view kOther = "other";

void count(const std::optional<std::string>& name, job::NameCounts& counts) {
    if (!name || name->empty()) return;
    const std::string_view key = std::string_view(*name).substr(0, kMaxNameBytes);
    if (const auto known = counts.find(key); known != counts.end()) {
        ++known->second;
    } else {
        ++counts[std::string(counts.size() < kMostNames ? key : kOther)];
    }
}

/// The snapshot that a provider reported, if it was always the same (Rubric 4.2).
void enter_version(const job::NameCounts& reported, job::ModelRef& model) {
    if (model.version || reported.size() != 1) return;
    const std::string& name = reported.begin()->first;
    model.version = providers::pinned_part(name).value_or(name);
}

/// Where the coordinator's operator said nothing, what all workers say.
void enter_environment(const job::NameCounts& reported, job::Environment& environment) {
    if (reported.size() != 1) return;
    const auto workers = job::parse_environment(reported.begin()->first);
    if (!workers) return;
    for (const auto& [name, value] : *workers) {
        if (value != job::kUnknown) environment.emplace(name, value);
    }
}

}  // namespace

void ReportedFacts::add(const job::TrialRecord& record) {
    count(record.model_reported, models_);
    count(record.system_fingerprint, fingerprints_);
    count(record.evaluator_model_reported, evaluator_models_);
    count(record.worker_environment, environments_);
    left_out_.insert(record.refused_parameters.begin(), record.refused_parameters.end());
    const auto& of_judge = record.evaluator_refused_parameters;
    judge_left_out_.insert(of_judge.begin(), of_judge.end());
}

void ReportedFacts::enter(job::RunMetadata& metadata) const {
    metadata.model_versions_reported = models_;
    metadata.system_fingerprints_reported = fingerprints_;
    metadata.model_version_drift = models_.size() > 1 || fingerprints_.size() > 1;
    metadata.worker_environments = environments_;
    enter_environment(environments_, metadata.environment);
    enter_version(models_, metadata.model);
    if (metadata.evaluator_model) {
        enter_version(evaluator_models_, *metadata.evaluator_model);
        metadata.evaluator_version = metadata.evaluator_model->id();
    }
    job::SentParams sent = job::SentParams::of(metadata.generation_params_requested);
    sent.extra = std::move(metadata.generation_params.extra);
    sent.headers = std::move(metadata.generation_params.headers);
    metadata.generation_params = std::move(sent);
    for (const std::string& name : left_out_)
        metadata.generation_params.leave_out(name);
    if (!metadata.evaluator_generation_params) return;
    for (const std::string& name : judge_left_out_)
        metadata.evaluator_generation_params->leave_out(name);
}

}  // namespace evalfleet::runs
