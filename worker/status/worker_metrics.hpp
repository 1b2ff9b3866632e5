#pragma once

#include "common/metrics/registry.hpp"

#include <vector>

namespace evalfleet::worker {

/// How a trial's model call ended.
enum class TrialEnd { answered, timed_out, failed };

/// What came of asking the judge.
enum class VerdictEnd { answered, parse_error, call_error };

/// What a worker counts. Handles only: from any thread, as long as the registry lives.
struct WorkerMetrics {
    explicit WorkerMetrics(metrics::Registry& registry);

    void count(TrialEnd end) noexcept { trials[static_cast<std::size_t>(end)].increment(); }
    void count(VerdictEnd end) noexcept { verdicts[static_cast<std::size_t>(end)].increment(); }

    std::vector<metrics::Counter> trials;      ///< by TrialEnd
    std::vector<metrics::Counter> deliveries;  ///< by queue::Delivery
    std::vector<metrics::Counter> verdicts;    ///< by VerdictEnd
    metrics::Counter call_retries;
    metrics::Gauge calls_in_flight;
    metrics::Histogram call_duration;
    metrics::Counter jobs_taken;
    metrics::Counter jobs_failed;
    metrics::Counter jobs_released;
    metrics::Counter jobs_cancelled;
    metrics::Counter leases_lost;
    metrics::Counter heartbeats;
    metrics::Counter heartbeat_failures;
    metrics::Counter leases_reaped;
    metrics::Gauge jobs_held;
    metrics::Gauge slots;
    metrics::Gauge redis_connected;
    metrics::Counter redis_connects;
    metrics::Gauge last_take_age;
};

}  // namespace evalfleet::worker
