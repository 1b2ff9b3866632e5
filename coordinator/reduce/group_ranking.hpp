#pragma once

#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <span>
#include <vector>

namespace evalfleet::reduce {

/// Ranks `runs` by aggregate score and compares each with the first by the ComparisonRule, over the
/// rows of `tables` (in the same order); there is at least one.
[[nodiscard]] std::vector<RankedRun> rank_runs(std::span<const GroupRun> runs,
                                               std::span<const RecordTable> tables,
                                               const ComparisonPlan& plan);

}  // namespace evalfleet::reduce
