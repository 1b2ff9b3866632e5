#pragma once

#include "coordinator/catalog/run_facts.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::catalog {

/// Which runs a list shall show; what is empty lets everything through. Pure.
struct RunFilter {
    std::vector<runs::RunPhase> phases{};
    std::string name{};   ///< exactly, or with `*` at its end: so begun
    std::string group{};  ///< id of the group
    std::optional<std::chrono::system_clock::time_point> since{};
    std::optional<std::chrono::system_clock::time_point> until{};

    /// `phase` is the run's phase now, which may be ahead of that in its facts.
    [[nodiscard]] bool fits(const RunFacts& facts, runs::RunPhase phase) const;
};

/// "running,paused" or "active"; nothing if a word is no state.
[[nodiscard]] std::optional<std::vector<runs::RunPhase>> parse_states(std::string_view text);

/// "2026-11-16T02:00:00.123Z" or "2026-11-16"; the fraction and the Z may be missing.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_time(
    std::string_view text);

}  // namespace evalfleet::catalog
