#pragma once

#include "common/metrics/registry.hpp"
#include "coordinator/runs/audit_findings.hpp"
#include "coordinator/runs/tally.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evalfleet::runs {

/// What is counted while runs go on. Handles only: from any thread, as long as the registry lives.
struct RunsMetrics {
    explicit RunsMetrics(metrics::Registry& registry);

    /// A trial that is in the log now.
    void count(const Tally::Trial& trial);
    /// An audit and what it put right.
    void count(const AuditFindings& findings);

    std::vector<metrics::Counter> trials;        ///< by Outcome
    std::vector<metrics::Counter> failures;      ///< by job::FailureLabel
    std::vector<metrics::Counter> errors;        ///< by job::CallError
    std::vector<metrics::Counter> judge_errors;  ///< by job::EvaluatorError
    metrics::Counter jobs_issued;
    metrics::Histogram results_lag;
    metrics::Counter results_repeated;
    metrics::Counter results_refused;
    metrics::Counter setbacks;
    metrics::Histogram log_append;
    metrics::Counter log_failures;
    metrics::Counter log_damage;
    metrics::Gauge last_record;
    metrics::Counter audits;
    std::vector<metrics::Counter> repairs;  ///< vanished, resurrected, orphaned
    metrics::Counter leases_requeued;
    metrics::Counter leases_dead;
};

/// How long ago an entry of a stream was added, by its id `<milliseconds since 1970>-<number>`.
/// Never negative: the clock of Redis may be ahead of ours. Pure.
[[nodiscard]] std::chrono::milliseconds age_of_entry(std::string_view id,
                                                     std::chrono::system_clock::time_point now);

}  // namespace evalfleet::runs
