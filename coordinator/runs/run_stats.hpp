#pragma once

#include "coordinator/runs/run_phase.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::runs {

/// A run in numbers, for metrics.
struct RunStats {
    std::string run_id;
    std::string name;
    RunPhase phase = RunPhase::queued;
    std::uint64_t total = 0;  ///< 0: not known yet, or any more
    std::uint64_t done = 0;
    std::uint64_t passed = 0;
    std::uint64_t errors = 0;
    std::uint64_t out = 0;       ///< issued and not in the log
    std::uint64_t unissued = 0;  ///< neither in the log nor out
    std::uint64_t epoch = 0;
    std::uint64_t model_versions = 0;
    std::uint64_t max_in_flight = 0;  ///< that the run allows itself; 0: no limit
    std::string model_provider;       ///< empty: no model is called
    std::string judge_provider;       ///< empty: no judge is called
    double model_seconds = 0;         ///< of a call, the median of late; 0: not known
    double judge_seconds = 0;
    std::chrono::nanoseconds oldest_job_age{0};  ///< 0 if no job is out
    std::optional<bool> release_ready;
    std::optional<std::chrono::system_clock::time_point> ended;
};

}  // namespace evalfleet::runs
