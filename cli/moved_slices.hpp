#pragma once

#include "common/result/result.hpp"
#include "coordinator/report/comparison_html.hpp"

#include <string_view>
#include <vector>

namespace evalfleet::cli {

/// So many slices are shown.
inline constexpr std::size_t kMostMovedSlices = 12;

/// The slices that two summaries (`summary.json`) have both, those first whose pass rates differ
/// most; those that do not differ, or have too few samples to be tested, are left out. `invalid`
/// names the member that is wrong. Pure.
[[nodiscard]] Result<std::vector<report::MovedSlice>> moved_slices(std::string_view base,
                                                                   std::string_view candidate);

}  // namespace evalfleet::cli
