#include "coordinator/runs/reconciliation.hpp"

namespace evalfleet::runs {

using queue::RunState;

Standing standing_of(RunPhase phase, bool has_ended_early) noexcept {
    switch (phase) {
        case RunPhase::queued:
        case RunPhase::running:
        case RunPhase::paused:
        case RunPhase::finishing:
            return has_ended_early ? Standing::stopping : Standing::going;
        case RunPhase::cancelling:
            return Standing::stopping;
        case RunPhase::failed:
            return Standing::waiting;
        case RunPhase::cancelled:
        case RunPhase::done:
            return Standing::over;
    }
    return Standing::elsewhere;
}

std::optional<RunState> decide_state(Standing standing, std::string_view state) noexcept {
    switch (standing) {
        case Standing::elsewhere:
        case Standing::going:
            return std::nullopt;
        case Standing::waiting:
            return state == "run" ? std::optional(RunState::paused) : std::nullopt;
        case Standing::stopping:
            return state == "run" || state == "pause" ? std::optional(RunState::cancelled)
                                                      : std::nullopt;
        case Standing::over:
            return state == "done" ? std::nullopt : std::optional(RunState::done);
    }
    return std::nullopt;
}

bool MissingRuns::is_over(const std::string& run_id, async::TimePoint now) {
    const auto since = since_.try_emplace(run_id, now).first->second;
    return now - since >= kGrace;
}

void MissingRuns::keep_only(const std::set<std::string>& run_ids) {
    std::erase_if(since_, [&](const auto& each) { return !run_ids.contains(each.first); });
}

}  // namespace evalfleet::runs
