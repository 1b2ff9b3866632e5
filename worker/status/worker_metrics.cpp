#include "worker/status/worker_metrics.hpp"

#include <array>
#include <string_view>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

constexpr std::array kTrialEnds{"answered"sv, "timed_out"sv, "failed"sv};
constexpr std::array kDeliveries{"finished"sv, "late"sv, "dropped"sv};
constexpr std::array kVerdicts{"answered"sv, "parse_error"sv, "call_error"sv};

}  // namespace

WorkerMetrics::WorkerMetrics(metrics::Registry& registry)
    : trials(registry.counters("evalfleet_worker_trials_total",
                               "Trials done, by how their model call ended", "outcome",
                               kTrialEnds)),
      deliveries(registry.counters("evalfleet_worker_deliveries_total",
                                   "Records pushed, by what became of them", "result",
                                   kDeliveries)),
      verdicts(registry.counters("evalfleet_worker_verdicts_total",
                                 "Answers given to the judge, by what came of it", "result",
                                 kVerdicts)),
      call_retries(registry.counter("evalfleet_worker_call_retries_total",
                                    "Attempts of calls after the first one")),
      calls_in_flight(registry.gauge("evalfleet_worker_calls_in_flight",
                                     "Model and judge calls under way, waits included")),
      call_duration(registry.histogram("evalfleet_worker_call_duration_seconds",
                                       "Model and judge calls, retries and waits included",
                                       metrics::latency_buckets())),
      jobs_taken(registry.counter("evalfleet_worker_jobs_taken_total", "Jobs taken")),
      jobs_failed(registry.counter("evalfleet_worker_jobs_failed_total",
                                   "Jobs that could not be done at all")),
      jobs_released(
          registry.counter("evalfleet_worker_jobs_released_total", "Jobs handed back undone")),
      jobs_cancelled(registry.counter("evalfleet_worker_jobs_cancelled_total",
                                      "Jobs stopped because their run was cancelled")),
      leases_lost(registry.counter("evalfleet_worker_leases_lost_total",
                                   "Jobs that were given to somebody else while we held them")),
      heartbeats(registry.counter("evalfleet_worker_heartbeats_total", "Heartbeats answered")),
      heartbeat_failures(registry.counter("evalfleet_worker_heartbeat_failures_total",
                                          "Heartbeats that got no answer")),
      leases_reaped(registry.counter("evalfleet_worker_leases_reaped_total",
                                     "Leases of lost workers that we ended")),
      jobs_held(registry.gauge("evalfleet_worker_jobs_held", "Jobs held now")),
      slots(registry.gauge("evalfleet_worker_slots", "Jobs that can be held at once")),
      redis_connected(registry.gauge("evalfleet_worker_redis_connected",
                                     "1 if the connection to Redis is ready")),
      redis_connects(registry.counter("evalfleet_worker_redis_connects_total",
                                      "Connections to Redis that became ready")),
      last_take_age(registry.gauge("evalfleet_worker_last_take_age_seconds",
                                   "Time since Redis last answered a request for jobs")) {}

}  // namespace evalfleet::worker
