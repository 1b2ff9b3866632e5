#pragma once

#include "common/queue/types.hpp"
#include "coordinator/runs/run_stats.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::coordinator {

/// What a provider lets all workers together do; 0: no limit.
struct ProviderLimits {
    std::uint64_t rpm = 0;             ///< calls begun a minute
    std::uint64_t max_concurrent = 0;  ///< calls at once
};

struct SlotLimits {
    std::map<std::string, ProviderLimits, std::less<>> providers;
    std::uint64_t most = 0;  ///< in all; 0: no limit
};

/// How many jobs could be worked on at once, so that an autoscaler adds no worker that would only
/// wait for permits: what waits in runs that go on and what is in flight or delayed, but of a run
/// no more than its own limit and than its providers can keep busy, and a fifth more. What one run
/// is given of a provider's limits the next one does not get. Before a run has measured its calls,
/// rates do not count and its two calls are taken to be equally long. Pure.
[[nodiscard]] std::uint64_t count_desired_slots(const std::vector<runs::RunStats>& runs,
                                                const queue::PoolStats& pool,
                                                const SlotLimits& limits);

}  // namespace evalfleet::coordinator
