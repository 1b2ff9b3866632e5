#pragma once

#include "common/job/policy.hpp"
#include "common/job/trial_record.hpp"

namespace evalfleet::scoring {

/// Turns what a worker measured and a judge said into a complete record: token sums, normalised
/// components, the trial's score, both pass verdicts and the failure labels (SEMANTICS 2 to 4).
///
/// A non-responsive trial loses its scores and counts as accuracy 0; usage that was reported stays,
/// since it was billed. An evaluator error loses the scores. Deriving a derived record changes
/// nothing, unless a judge scored faithfulness but not hallucination, which the profiles' parser
/// does not let happen.
void derive(job::TrialRecord& record, const job::Policy& policy);

}  // namespace evalfleet::scoring
