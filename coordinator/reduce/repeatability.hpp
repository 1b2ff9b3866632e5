#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/trial_row.hpp"

#include <span>

namespace evalfleet::reduce {

/// Each repeat reduced on its own, and how far the repeats are apart (Rubric 4.4).
[[nodiscard]] job::Repeatability compare_repeats(std::span<const TrialRow> rows);

}  // namespace evalfleet::reduce
