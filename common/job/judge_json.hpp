#pragma once

#include "common/job/run_spec.hpp"
#include "common/json/value.hpp"
#include "common/result/result.hpp"

namespace evalfleet::job {

/// Reads a judge as it stands under `judge` of a run file, strictly. Errors as `read_run_spec`.
[[nodiscard]] Result<JudgeSpec> read_judge_spec(json::Value value);

}  // namespace evalfleet::job
