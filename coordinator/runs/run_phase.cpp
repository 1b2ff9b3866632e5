#include "coordinator/runs/run_phase.hpp"

#include <array>
#include <cstddef>

namespace evalfleet::runs {

namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "queued", "running", "paused", "cancelling", "cancelled", "finishing", "done", "failed"};

}  // namespace

std::string_view to_string(RunPhase phase) noexcept {
    return kNames[static_cast<std::size_t>(phase)];
}

std::optional<RunPhase> parse_run_phase(std::string_view text) noexcept {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i] == text) return static_cast<RunPhase>(i);
    return std::nullopt;
}

bool may_become(RunPhase from, RunPhase to) noexcept {
    if (from == to) return true;
    switch (from) {
        case RunPhase::queued:
            return to == RunPhase::running || to == RunPhase::cancelling || to == RunPhase::failed;
        case RunPhase::running:
            return to == RunPhase::paused || to == RunPhase::cancelling ||
                   to == RunPhase::finishing || to == RunPhase::failed;
        case RunPhase::paused:
            // The last trials of a paused run may come back and complete it.
            return to == RunPhase::running || to == RunPhase::cancelling ||
                   to == RunPhase::finishing || to == RunPhase::failed;
        case RunPhase::cancelling:
            return to == RunPhase::cancelled || to == RunPhase::failed;
        case RunPhase::finishing:
            // Its log may turn out to have lost records.
            return to == RunPhase::done || to == RunPhase::failed || to == RunPhase::running;
        case RunPhase::failed:
            // What stood in the way may have been mended, or nobody wants it any more.
            return to == RunPhase::running || to == RunPhase::cancelling;
        case RunPhase::cancelled:
        case RunPhase::done:
            return false;
    }
    return false;
}

}  // namespace evalfleet::runs
