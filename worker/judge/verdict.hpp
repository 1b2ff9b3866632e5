#pragma once

#include "common/job/trial_record.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/call/model_call.hpp"
#include "worker/trial/trial_steps.hpp"

#include <cstddef>

namespace evalfleet::worker {

/// A question to the judge.
struct JudgeRequest {
    ModelCall call;
    std::size_t prompt_bytes = 0;
};

/// Renders the run's evaluator template for an answered trial. The judge sees the answer as it is,
/// before redaction, but for the operator's own keys: those of one provider are none of another's
/// business. It is asked with the judge's own generation parameters, whatever the run sets
/// for the model under test, and for JSON where the provider can see to that. Pure.
[[nodiscard]] JudgeRequest make_judge_request(const RunContext& run, const job::Sample& sample,
                                              const job::TrialRecord& record);

/// Enters what a call was billed that failed for reasons of infrastructure and is made again. Pure.
void enter_setback(const RunContext& run, const CallOutcome& outcome, job::TrialRecord& record);

enum class NextStep {
    done,       ///< the record has its scores or its evaluator_error
    ask_again,  ///< the reply could not be read: one more call with identical inputs
};

/// Enters what one call of the judge gave. Pure.
///
/// - A reply that can be read gives the scores.
/// - A first one that cannot asks again; a second one is a parse_error, with its text kept. What
/// was
///   wrong with each is kept.
/// - No reply at all, after the transport's own retries, is a call_error.
///
/// `evaluator_attempts` counts the calls; latency, tokens and cost are sums over them.
[[nodiscard]] NextStep enter_verdict(const RunContext& run, const JudgeRequest& request,
                                     const CallOutcome& outcome, job::TrialRecord& record);

}  // namespace evalfleet::worker
