#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::runs {

/// How long runs that are over are kept. Whichever bound is reached first decides; 0: no bound.
struct Retention {
    std::uint64_t max_runs = 0;
    std::chrono::hours max_age{0};
    [[nodiscard]] bool is_bounded() const noexcept { return max_runs > 0 || max_age.count() > 0; }
};

/// "100", "30d" or "100,30d": so many runs, so many days. `invalid` for anything else.
[[nodiscard]] Result<Retention> parse_retention(std::string_view text);

/// A run that is over, and since when.
struct OverRun {
    std::string run_id;
    std::chrono::system_clock::time_point ended;
};

/// Those that have to go, the oldest first. What `kept` names stays, and does not count as one of
/// `max_runs`. Pure.
[[nodiscard]] std::vector<std::string> choose_expired(std::vector<OverRun> runs,
                                                      const std::set<std::string>& kept,
                                                      const Retention& retention,
                                                      std::chrono::system_clock::time_point now);

}  // namespace evalfleet::runs
