#pragma once

#include "common/metrics/registry.hpp"

#include <string>

namespace evalfleet::worker {

/// What a worker counts of one provider's permits. Handles only: from any thread, as long as the
/// registry lives.
struct PermitMetrics {
    PermitMetrics(metrics::Registry& registry, const std::string& provider);

    metrics::Gauge in_use;   ///< calls of this worker under way
    metrics::Gauge waiting;  ///< calls of this worker that wait for a permit
    metrics::Gauge limit;    ///< calls at once of all workers
    metrics::Gauge rate;     ///< calls a second of all workers, as it was learnt; 0: any number
    metrics::Gauge paused;   ///< seconds that the key still rests
    metrics::Counter throttled;
    metrics::Histogram wait;
};

}  // namespace evalfleet::worker
