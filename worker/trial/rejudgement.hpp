#pragma once

#include "worker/trial/trial_steps.hpp"

namespace evalfleet::worker {

/// Reads a job that asks for a verdict only: `{"sample": …, "record": …}`, the sample and the
/// stored record of another run. What was measured stays as it is, but this run pays
/// nothing for it; what the judge said before is taken out. `invalid` if the payload is not such a
/// job, not of trial `index`, or has no answer to judge.
[[nodiscard]] Result<PreparedTrial> prepare_rejudgement(const RunContext& run, std::uint64_t index,
                                                        std::string_view payload);

}  // namespace evalfleet::worker
