#pragma once

#include "common/job/measured.hpp"
#include "common/statistics/interval.hpp"
#include "coordinator/runs/run_phase.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::runs {

/// How far a run is: what people watch and programs poll.
struct Progress {
    std::string run_id;
    std::string name;
    std::optional<std::string> group_id;
    RunPhase phase = RunPhase::queued;
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    std::uint64_t passed = 0;
    std::optional<statistics::Interval> pass_rate_ci95;  ///< as the gate has it, by samples
    std::uint64_t errors = 0;                            ///< no usable answer, or no scores
    std::uint64_t in_flight = 0;                         ///< calls at the provider
    std::uint64_t waiting = 0;   ///< in workers' hands, for a permit or between two attempts
    std::uint64_t retrying = 0;  ///< put back, to be tried again later
    std::uint64_t queued = 0;    ///< not taken by a worker yet
    std::uint64_t workers = 0;
    std::optional<double> trials_per_s;
    double elapsed_s = 0;
    std::optional<std::string> note;  ///< what stands in the way, or why it failed
    std::optional<bool> release_ready;
    /// Not ready only because it cannot be told whether it is worse than its baseline.
    bool is_undecided = false;
    std::optional<job::Measured> measured;  ///< of a run that is over
    std::string folder;
};

/// As the API shows it: with the pass rate so far, its interval and the time that is left.
[[nodiscard]] std::string to_json(const Progress& progress);

}  // namespace evalfleet::runs
