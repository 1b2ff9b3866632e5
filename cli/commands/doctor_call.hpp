#pragma once

#include "cli/checked_run.hpp"
#include "cli/doctor/finding.hpp"
#include "common/job/trial_record.hpp"
#include "common/result/result.hpp"

#include <string>

namespace evalfleet::cli {

/// Lets every model of a run file answer one short question with one token, and its judge judge
/// that, by the same fleet, providers and keys as a run. Each costs what such a call costs. Blocks
/// for as long as they take, two minutes each at most.
[[nodiscard]] Result<doctor::Findings> blocking_call_models(const CheckedRun& run, bool simulate);

/// What a trial with one token says of model and judge. Pure.
[[nodiscard]] doctor::Findings findings_of_call(const job::TrialRecord& record,
                                                const std::string& model, const std::string& judge);

/// The run of such calls. Pure.
[[nodiscard]] job::RunSpec make_call_spec(const job::RunSpec& spec);

}  // namespace evalfleet::cli
