#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::remote {

/// A run's progress as the coordinator's API tells it.
struct RunProgress {
    std::string run_id;
    std::string state;
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t errors = 0;
    std::uint64_t in_flight = 0;            ///< calls at the provider
    std::optional<std::uint64_t> waiting;   ///< for a permit, or between two attempts
    std::optional<std::uint64_t> retrying;  ///< put back, to be tried again later
    std::optional<double> pass_rate;
    std::optional<double> pass_rate_lower;
    std::optional<double> pass_rate_upper;
    std::optional<double> trials_per_s;
    std::optional<double> eta_s;
    std::optional<std::string> note;
    std::optional<bool> release_ready;
    std::optional<bool> undecided;        ///< not ready, as nothing is known of its baseline
    std::optional<std::string> measured;  ///< of a run that is over: complete, partial, ...
    std::string folder;

    [[nodiscard]] bool is_over() const {
        return state == "done" || state == "cancelled" || state == "failed";
    }
    /// It says nothing about its model: the trials that failed for other reasons are too many.
    [[nodiscard]] bool is_unmeasured() const { return measured && *measured != "complete"; }
    /// It paused itself, since nothing could be measured; only a person can mend that.
    [[nodiscard]] bool is_stuck() const {
        return state == "paused" && note && note->starts_with("could not measure");
    }
};

[[nodiscard]] Result<RunProgress> read_progress(json::Value value);

/// One line: "120/180 trials  66 %  41.2/s  ETA 1 s  pass 84.2 % [77.1, 89.4]  19 failed  64 in
/// flight", and if there are any "12 waiting  3 retrying".
[[nodiscard]] std::string progress_line(const RunProgress& progress);

/// "47 s", "3 min 5 s", "2 h 10 min".
[[nodiscard]] std::string describe_seconds(double seconds);

}  // namespace evalfleet::remote
