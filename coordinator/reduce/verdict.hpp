#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/population.hpp"

namespace evalfleet::reduce {

/// What a gate says of a value.
[[nodiscard]] bool holds(double value, job::Comparison comparison, double threshold) noexcept;

/// The four gates of Rubric 3.4 on a run's Rubric block, which is that of `trials`.
[[nodiscard]] job::Gates evaluate_gates(const Population& trials, const job::RubricBlock& block,
                                        const job::Policy::Gates& limits);

}  // namespace evalfleet::reduce
