#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Fills in how far the figures could move with the trials that have no answer or no score, and
/// what that makes of the verdicts: `partial` if that of a gate turns between the two bounds,
/// `not_measured` if no trial was answered. `could_measure` is the same with the failures of the
/// model itself taken as such, and is `not_measured` if no trial has an answer and a score. Of the
/// summary it takes the gates and what is missing. Pure.
void judge_measured(job::Summary& summary, const RecordTable& table, const job::Policy& policy);

}  // namespace evalfleet::reduce
