#pragma once

#include "coordinator/catalog/run_facts.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::catalog {

/// What a run says about its model.
enum class Verdict {
    open,  ///< nothing yet, or not any more
    ready,
    not_ready,
    not_measured,
};

[[nodiscard]] Verdict verdict_of(const RunFacts& facts, runs::RunPhase phase) noexcept;
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;
[[nodiscard]] std::optional<Verdict> parse_verdict(std::string_view text) noexcept;

/// Which runs a list shall show; what is empty lets everything through. Pure.
struct RunFilter {
    std::vector<runs::RunPhase> phases{};
    std::string name{};     ///< exactly, or with `*` at its end: so begun
    std::string group{};    ///< id of the group
    std::string model{};    ///< occurs in it
    std::string dataset{};  ///< id or hash, or how the hash begins
    std::string submitter{};
    std::vector<std::pair<std::string, std::string>> labels{};  ///< has all of them
    std::string text{};  ///< occurs in id, name, model or data set, in either case
    std::optional<Verdict> verdict{};
    std::optional<std::chrono::system_clock::time_point> since{};
    std::optional<std::chrono::system_clock::time_point> until{};

    /// Whether it has to know the run's outcome: then `facts` must have it.
    [[nodiscard]] bool needs_outcome() const noexcept { return verdict.has_value(); }

    /// `phase` is the run's phase now, which may be ahead of that in its facts.
    [[nodiscard]] bool fits(const RunFacts& facts, runs::RunPhase phase) const;
};

/// "running,paused" or "active"; nothing if a word is no state.
[[nodiscard]] std::optional<std::vector<runs::RunPhase>> parse_states(std::string_view text);

/// "2026-11-16T02:00:00.123Z" or "2026-11-16"; the fraction and the Z may be missing.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_time(
    std::string_view text);

}  // namespace evalfleet::catalog
