#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Fills in how far the figures could move if the trials whose evaluator failed were scored: all
/// with the worst scores, or all with the best. Their latency and tokens stay as they are; where
/// those are unknown too, the component counts as 0 or as full.
void bound_unscored(job::Extra& extra, const RecordTable& table, const job::Policy& policy);

}  // namespace evalfleet::reduce
