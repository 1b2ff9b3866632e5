#pragma once

#include "common/metrics/registry.hpp"
#include "coordinator/metrics/desired_slots.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_registry.hpp"

#include <string>

namespace evalfleet::coordinator {

struct FleetFiguresConfig {
    std::string pool = "main";
    SlotLimits slots;  ///< of evalfleet_desired_slots
};

/// Publishes what the coordinator knows of queue, workers, Redis and runs. Read anew at every
/// scrape from what is in memory; Redis is not asked. The scrape must happen on the executor of
/// `runs`; everything given must live as long as metrics are read.
void publish_fleet(metrics::Registry& registry, const runs::RunRegistry& runs,
                   const runs::PoolWatch& pool_watch, const FleetFiguresConfig& config);

}  // namespace evalfleet::coordinator
