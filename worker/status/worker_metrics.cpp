#include "worker/status/worker_metrics.hpp"

#include <array>
#include <string_view>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

constexpr std::array kTrialEnds{"answered"sv, "timed_out"sv, "failed"sv};
constexpr std::array kDeliveries{"finished"sv, "late"sv, "dropped"sv};
constexpr std::array kVerdicts{"answered"sv, "parse_error"sv, "call_error"sv};

// Of the queue, as far as a worker calls them.
constexpr std::array kQueueFunctions{"take"sv,   "take_when_full"sv, "beat"sv,  "done"sv,
                                     "fail"sv,   "release"sv,        "leave"sv, "reap"sv,
                                     "permit"sv, "permits"sv};

std::map<std::string, ProviderMetrics, std::less<>> make_providers(
    metrics::Registry& registry, const std::vector<std::string>& names) {
    std::map<std::string, ProviderMetrics, std::less<>> providers;
    for (const std::string& name : names)
        providers.emplace(name, ProviderMetrics(registry, name));
    return providers;
}

}  // namespace

WorkerMetrics::WorkerMetrics(metrics::Registry& registry, const std::vector<std::string>& providers)
    : trials(registry.counters("evalfleet_worker_trials_total",
                               "Trials done, by how their model call ended", "outcome",
                               kTrialEnds)),
      deliveries(registry.counters("evalfleet_worker_deliveries_total",
                                   "Records pushed, by what became of them", "result",
                                   kDeliveries)),
      verdicts(registry.counters("evalfleet_worker_verdicts_total",
                                 "Answers given to the judge, by what came of it", "result",
                                 kVerdicts)),
      calls_in_flight(registry.gauge("evalfleet_worker_calls_in_flight",
                                     "Model and judge calls under way, waits included")),
      idle_connections(registry.gauge("evalfleet_worker_idle_connections",
                                      "Open connections to providers that wait for a call")),
      jobs_taken(registry.counter("evalfleet_worker_jobs_taken_total", "Jobs taken")),
      jobs_failed(registry.counter("evalfleet_worker_jobs_failed_total",
                                   "Jobs that could not be done at all")),
      jobs_released(
          registry.counter("evalfleet_worker_jobs_released_total", "Jobs handed back undone")),
      jobs_put_back(registry.counter("evalfleet_worker_jobs_put_back_total",
                                     "Jobs put back for later: infrastructure was in the way")),
      backing_off(registry.gauge("evalfleet_worker_jobs_backing_off",
                                 "Jobs that wait between two attempts of a call")),
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
      last_take_age(registry.gauge("evalfleet_worker_last_take_age_seconds",
                                   "Time since Redis last answered a request for jobs")),
      queue_calls(registry, kQueueFunctions),
      registry_(registry),
      providers_(make_providers(registry, providers)) {}

ProviderMetrics& WorkerMetrics::provider(std::string_view name) {
    const auto found = providers_.find(name);
    if (found != providers_.end()) return found->second;
    std::call_once(other_wanted_,
                   [this] { other_ = std::make_unique<ProviderMetrics>(registry_, "other"); });
    return *other_;
}

}  // namespace evalfleet::worker
