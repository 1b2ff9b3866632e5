#pragma once

#include "common/job/policy.hpp"
#include "common/job/trial_record.hpp"

namespace evalfleet::scoring {

/// Sets the primary and secondary failure labels of a trial whose scores, tokens and pass verdicts
/// are final. None if it passed both conditions.
void label_failure(job::TrialRecord& record, const job::Policy& policy);

}  // namespace evalfleet::scoring
