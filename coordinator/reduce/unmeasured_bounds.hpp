#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Fills in how far the figures could move if the trials that were not measured had been: all
/// failed, or all perfect. Of an answer that was not scored, latency and tokens stay as they are;
/// where those are unknown too, the component counts as 0 or as full.
void bound_unmeasured(job::Extra& extra, const RecordTable& table, const job::Policy& policy);

}  // namespace evalfleet::reduce
