#pragma once

#include "common/metrics/registry.hpp"
#include "common/telemetry/queue_calls.hpp"
#include "worker/status/provider_metrics.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// How a trial's model call ended.
enum class TrialEnd { answered, timed_out, failed };

/// What came of asking the judge.
enum class VerdictEnd { answered, parse_error, call_error };

/// What a worker counts. Handles only: from any thread, as long as the registry lives.
struct WorkerMetrics {
    /// `providers`: the names of those that may be called.
    explicit WorkerMetrics(metrics::Registry& registry,
                           const std::vector<std::string>& providers = {});

    /// Of one of the providers; "other" for a name that was not given.
    [[nodiscard]] ProviderMetrics& provider(std::string_view name);

    void count(TrialEnd end) noexcept { trials[static_cast<std::size_t>(end)].increment(); }
    void count(VerdictEnd end) noexcept { verdicts[static_cast<std::size_t>(end)].increment(); }

    std::vector<metrics::Counter> trials;      ///< by TrialEnd
    std::vector<metrics::Counter> deliveries;  ///< by queue::Delivery
    std::vector<metrics::Counter> verdicts;    ///< by VerdictEnd
    metrics::Gauge calls_in_flight;
    metrics::Gauge idle_connections;
    metrics::Counter jobs_taken;
    metrics::Counter jobs_failed;
    metrics::Counter jobs_released;
    metrics::Counter jobs_put_back;
    metrics::Gauge backing_off;
    metrics::Counter jobs_cancelled;
    metrics::Counter leases_lost;
    metrics::Counter heartbeats;
    metrics::Counter heartbeat_failures;
    metrics::Counter leases_reaped;
    metrics::Gauge jobs_held;
    metrics::Gauge slots;
    metrics::Gauge last_take_age;
    telemetry::QueueCalls queue_calls;

  private:
    metrics::Registry& registry_;
    std::map<std::string, ProviderMetrics, std::less<>> providers_;  // never changes
    std::once_flag other_wanted_;
    std::unique_ptr<ProviderMetrics> other_;  // made when it is wanted: it never should be
};

}  // namespace evalfleet::worker
