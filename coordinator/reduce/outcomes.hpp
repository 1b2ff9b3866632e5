#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// How the trials ended, and the Rubric's headline figures over the answered ones alone.
[[nodiscard]] job::Outcomes count_outcomes(const RecordTable& table);

}  // namespace evalfleet::reduce
