#pragma once

#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <span>
#include <vector>

namespace evalfleet::reduce {

/// Ranks `runs` by aggregate score and tests each against the first, over the rows of `tables`
/// (in the same order): McNemar's exact test for pass rates, sign flips of whole samples for the
/// aggregate score and the mean latency. Holm's correction is over all these tests together.
[[nodiscard]] std::vector<RankedRun> rank_runs(std::span<const GroupRun> runs,
                                               std::span<const RecordTable> tables,
                                               const CompareOptions& options);

}  // namespace evalfleet::reduce
