#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"

namespace evalfleet::reduce {

/// What a gate says of a value.
[[nodiscard]] bool holds(double value, job::Comparison comparison, double threshold) noexcept;

/// The four gates of Rubric 3.4 on a run's Rubric block.
[[nodiscard]] job::Gates judge_gates(const job::RubricBlock& block,
                                     const job::Policy::Gates& limits);

}  // namespace evalfleet::reduce
