#include "coordinator/runs/runs_metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace evalfleet::runs {

namespace {

using namespace std::string_view_literals;

enum class Outcome { passed, failed, error };
constexpr std::array kOutcomes{"passed"sv, "failed"sv, "error"sv};
constexpr std::array kRepairs{"vanished"sv, "resurrected"sv, "orphaned"sv};

Outcome outcome_of(const Tally::Trial& trial) {
    if (trial.passed) return Outcome::passed;
    return trial.errored ? Outcome::error : Outcome::failed;
}

template <class Enum>
metrics::Counter& of(std::vector<metrics::Counter>& counters, Enum value) {
    return counters[static_cast<std::size_t>(value)];
}

}  // namespace

RunsMetrics::RunsMetrics(metrics::Registry& registry)
    : trials(registry.counters("evalfleet_coordinator_trials_total",
                               "Records written, each trial once", "outcome", kOutcomes)),
      failures(registry.counters("evalfleet_coordinator_trial_failures_total",
                                 "Trials that did not pass, by failure label", "label",
                                 job::Names<job::FailureLabel>::values)),
      errors(registry.counters("evalfleet_coordinator_trial_errors_total",
                               "Trials without a usable answer, by reason", "kind",
                               job::Names<job::CallError>::values)),
      judge_errors(registry.counters("evalfleet_coordinator_judge_errors_total",
                                     "Answers without scores, by reason", "kind",
                                     job::Names<job::EvaluatorError>::values)),
      jobs_issued(registry.counter("evalfleet_coordinator_jobs_issued_total",
                                   "Jobs put into Redis, repetitions included")),
      results_lag(registry.histogram("evalfleet_coordinator_results_lag_seconds",
                                     "From a worker's push to the record being safe on disk",
                                     metrics::latency_buckets())),
      results_repeated(registry.counter("evalfleet_coordinator_results_repeated_total",
                                        "Results of trials that were in the log already")),
      results_refused(registry.counter("evalfleet_coordinator_results_refused_total",
                                       "Results that could not be used")),
      setbacks(registry.counter("evalfleet_coordinator_setbacks_total",
                                "Calls that failed for reasons of infrastructure, and whose "
                                "trials are tried again")),
      log_append(registry.histogram("evalfleet_coordinator_log_append_duration_seconds",
                                    "Writing and syncing a batch of records",
                                    metrics::latency_buckets())),
      log_failures(registry.counter("evalfleet_coordinator_log_write_failures_total",
                                    "Batches of records that could not be written or synced; each "
                                    "is tried again")),
      log_damage(registry.counter("evalfleet_coordinator_log_damage_total",
                                  "Places of runs' logs that were found damaged on opening; the "
                                  "trials that were there run again")),
      last_record(registry.gauge("evalfleet_coordinator_last_record_timestamp_seconds",
                                 "When the last record was written; 0 before the first")),
      audits(registry.counter("evalfleet_coordinator_audits_total",
                              "Comparisons of Redis with the log")),
      repairs(registry.counters("evalfleet_coordinator_audit_repairs_total",
                                "Jobs that audits put right", "kind", kRepairs)),
      leases_requeued(registry.counter("evalfleet_coordinator_leases_expired_total",
                                       "Leases of lost workers that the coordinator ended",
                                       {{"result", "requeued"}})),
      leases_dead(registry.counter("evalfleet_coordinator_leases_expired_total",
                                   "Leases of lost workers that the coordinator ended",
                                   {{"result", "dead"}})) {}

void RunsMetrics::count(const Tally::Trial& trial) {
    of(trials, outcome_of(trial)).increment();
    if (trial.failure_label) of(failures, *trial.failure_label).increment();
    if (trial.error_kind) of(errors, *trial.error_kind).increment();
    if (trial.evaluator_error) of(judge_errors, *trial.evaluator_error).increment();
}

void RunsMetrics::count(const AuditFindings& findings) {
    audits.increment();
    const std::array found{findings.vanished, findings.resurrected, findings.orphaned};
    for (std::size_t i = 0; i < found.size(); ++i)
        repairs[i].increment(static_cast<double>(found[i]));
}

std::chrono::milliseconds age_of_entry(std::string_view id,
                                       std::chrono::system_clock::time_point now) {
    using std::chrono::milliseconds;
    std::int64_t added = 0;
    if (std::from_chars(id.data(), id.data() + id.size(), added).ec != std::errc()) return {};
    const auto since_1970 = std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
    return std::max(milliseconds(0), since_1970 - milliseconds(added));
}

}  // namespace evalfleet::runs
