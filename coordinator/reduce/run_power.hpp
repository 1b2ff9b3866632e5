#pragma once

#include "common/job/summary.hpp"
#include "coordinator/reduce/population.hpp"

namespace evalfleet::reduce {

/// What another run of this size over other samples would have to differ by to be told apart, from
/// how the samples of this one differ.
[[nodiscard]] job::RunPower estimate_power(const Population& run);

}  // namespace evalfleet::reduce
