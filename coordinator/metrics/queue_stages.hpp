#pragma once

#include "common/queue/types.hpp"
#include "coordinator/runs/run_stats.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evalfleet::coordinator {

/// The trials of the runs that are not over, each in one stage of its way.
struct QueueStages {
    std::uint64_t pending = 0;  ///< nobody has them yet, in Redis or not
    std::uint64_t in_flight = 0;
    std::uint64_t delayed = 0;
    std::uint64_t uncollected = 0;  ///< their results wait in Redis
    std::uint64_t done = 0;
    std::uint64_t failed = 0;  ///< in the log without scores
    bool operator==(const QueueStages&) const = default;
};

/// Pure. What the runs say is of now, what Redis said at most a second old, so that a trial on its
/// way may be missing or counted twice.
[[nodiscard]] QueueStages count_stages(const std::vector<runs::RunStats>& runs,
                                       const queue::PoolStats& pool);

/// Of all runs that go on; paused ones wait for people. Pure.
[[nodiscard]] std::chrono::nanoseconds oldest_job_age(const std::vector<runs::RunStats>& runs);

/// Issued and not in the log, of the same runs. Pure.
[[nodiscard]] std::uint64_t count_window_jobs(const std::vector<runs::RunStats>& runs);

/// Those whose figures are shown one by one: the first `most_active` that are not over, and the
/// `most_ended` that ended last. Pure.
[[nodiscard]] std::vector<runs::RunStats> pick_shown(std::vector<runs::RunStats> runs,
                                                     std::size_t most_active,
                                                     std::size_t most_ended);

}  // namespace evalfleet::coordinator
