#pragma once

#include "coordinator/reduce/group_reducer.hpp"

#include <string>

namespace evalfleet::report {

/// A group for a pull request: its ranking, what each run is against the baseline in one sentence,
/// and its slices, as tables of Markdown. Pure.
[[nodiscard]] std::string to_markdown(const reduce::GroupSummary& summary);

/// The same as one file that needs nothing else, with each run's differences from the baseline as
/// a forest plot. Pure.
[[nodiscard]] std::string to_html(const reduce::GroupSummary& summary);

}  // namespace evalfleet::report
