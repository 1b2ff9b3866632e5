#pragma once

#include "coordinator/runs/run_stats.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace evalfleet::coordinator {

/// So many of the runs that are over are shown one by one, those that ended last.
inline constexpr std::size_t kMostEnded = 20;

/// Whether a run is ready for release; none while it goes on. One that failed is not. Pure.
[[nodiscard]] std::optional<bool> verdict_of(const runs::RunStats& run);

/// The figures of those runs of a store that are done or cancelled and ended last, at most `most`:
/// nobody keeps them any more after a restart. Blocks.
[[nodiscard]] std::vector<runs::RunStats> blocking_recall_ended(const std::filesystem::path& store,
                                                                std::size_t most);

}  // namespace evalfleet::coordinator
