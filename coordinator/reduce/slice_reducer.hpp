#pragma once

#include "common/job/summary.hpp"
#include "common/statistics/bootstrap.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Fills in `task_types` and `tags`: every slice reduced as if its records were the whole run.
void reduce_slices(job::Summary& summary, const RecordTable& table,
                   const statistics::BootstrapPlan& plan);

}  // namespace evalfleet::reduce
