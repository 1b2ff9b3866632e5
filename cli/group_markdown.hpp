#pragma once

#include "coordinator/reduce/group_reducer.hpp"

#include <string>

namespace evalfleet::cli {

/// A group for a pull request: its ranking, what each run is against the baseline in one sentence,
/// and its slices, as tables of Markdown.
[[nodiscard]] std::string to_markdown(const reduce::GroupSummary& summary);

}  // namespace evalfleet::cli
