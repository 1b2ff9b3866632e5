#pragma once

#include "common/job/summary.hpp"
#include "common/statistics/bootstrap.hpp"
#include "coordinator/reduce/population.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Fills in `task_types` and `tags`: every slice reduced as if its records were the whole run. And
/// `extra.slice_tests`: which of them differ from the rest.
void reduce_slices(job::Summary& summary, const RecordTable& table, const Population& run,
                   const statistics::BootstrapPlan& plan);

}  // namespace evalfleet::reduce
