#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/record_table.hpp"

namespace evalfleet::reduce {

/// Whether the gates of a summary are about the model: `partial` if the verdict of one turns when
/// all trials that were not measured count as failed, and when all count as perfect; `not_measured`
/// if no trial has an answer and a score. Of the summary it takes the gates and the bounds. Pure.
[[nodiscard]] job::Measured judge_measured(const job::Summary& summary, const RecordTable& table);

}  // namespace evalfleet::reduce
