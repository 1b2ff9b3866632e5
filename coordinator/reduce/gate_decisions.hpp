#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/population.hpp"

namespace evalfleet::reduce {

/// What is said of the gates to those who decide. `clear` (SEMANTICS 5) is not enough for that: the
/// interval of a mean has no width where few scores are all alike, and Wilson's is too narrow in
/// places. A gate is decided if it is clear and if, besides, a test without assumptions about the
/// values but their range (statistics::BoundedMean, samples as units) finds a figure like this with
/// a probability of at most 2.5 % where the truth is on the other side of the threshold. Trials
/// that infrastructure lost, and answers without a score, count against the verdict there, whatever
/// it is. `gates` are those of `trials`. Pure.
[[nodiscard]] job::GateDecisions decide_gates(const Population& trials, const job::Gates& gates,
                                              const job::Policy::Gates& limits);

}  // namespace evalfleet::reduce
