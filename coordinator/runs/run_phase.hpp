#pragma once

#include <optional>
#include <string_view>

namespace evalfleet::runs {

/// Where a run stands. docs/design/run-states.md draws the transitions.
enum class RunPhase {
    queued,      ///< accepted, waits for its turn
    running,     ///< trials go out and come back
    paused,      ///< no trial goes out; those under way come back
    cancelling,  ///< likewise, and those under way are asked to stop
    cancelled,   ///< over; what came back is kept
    finishing,   ///< every trial is in the log; the files of the run are written
    done,        ///< over; everything is written
    failed,      ///< over; it could not go on, `note` says why
};

[[nodiscard]] std::string_view to_string(RunPhase phase) noexcept;
[[nodiscard]] std::optional<RunPhase> parse_run_phase(std::string_view text) noexcept;

/// Nothing happens any more.
[[nodiscard]] constexpr bool is_over(RunPhase phase) noexcept {
    return phase == RunPhase::cancelled || phase == RunPhase::done || phase == RunPhase::failed;
}

/// Whether a run may go from one phase to another. Staying is always allowed.
[[nodiscard]] bool may_become(RunPhase from, RunPhase to) noexcept;

}  // namespace evalfleet::runs
