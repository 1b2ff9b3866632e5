#pragma once

#include "common/job/trial_record.hpp"
#include "common/metrics/registry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// What a provider is used for: the model or the judge.
struct RoleMetrics {
    RoleMetrics(metrics::Registry& registry, const std::string& provider, const std::string& role);

    metrics::Histogram duration;
    metrics::Counter input_tokens;
    metrics::Counter output_tokens;
    metrics::Counter cache_read_tokens;
    metrics::Counter cache_write_tokens;
    metrics::Counter cost;
};

/// What is counted of one provider. Handles only: from any thread, as long as the registry lives.
struct ProviderMetrics {
    ProviderMetrics(metrics::Registry& registry, const std::string& provider);

    /// An attempt that came to its end; without a failure it succeeded.
    void count_attempt(std::optional<job::CallError> failure);

    RoleMetrics model;
    RoleMetrics judge;
    metrics::Histogram model_duration;
    metrics::Histogram first_token_duration;
    metrics::Counter attempts_ok;
    std::vector<metrics::Counter> attempts_failed;  ///< by job::CallError
    metrics::Counter retries;
};

/// Counts what a finished trial took of the provider of its model and that of its judge. An answer
/// that was taken over from another run took nothing.
void count_usage(const job::TrialRecord& record, ProviderMetrics& model, ProviderMetrics& judge);

}  // namespace evalfleet::worker
