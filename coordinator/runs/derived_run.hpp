#pragma once

#include "common/job/run_spec.hpp"
#include "common/job/trial_record.hpp"
#include "coordinator/runs/peoples_scores.hpp"
#include "coordinator/runs/submission.hpp"
#include "coordinator/store/run_folder.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::runs {

/// What shall be different when the answers of a run are judged anew.
struct Rejudgement {
    std::optional<job::JudgeSpec> judge;  ///< none: the scores stay, only the policy is applied
    std::optional<GivenLabels> labels;    ///< instead of a judge: the scores are people's
    std::optional<job::Policy> policy;    ///< none: the old one
    std::optional<std::string> name;      ///< none: the old one
    bool redacted = false;                ///< stored answers that are redacted are judged so
};

/// Why a trial counts as not having been measured: its call failed on the way, its worker was lost,
/// or the judge could not be reached or understood. An empty answer and a time-out are results of
/// the model's.
[[nodiscard]] bool failed_for_infrastructure(const job::TrialRecord& record) noexcept;

/// Stages a run that judges the stored answers of `source`, which must be over: what was answered
/// goes to the judge, what was not is taken over as it is. Without a judge everything is taken over
/// and scored by the policy; with `labels` by
/// these alone, so that an answered trial without one is unscored. Answers that are stored redacted
/// are judged as the model gave them if all of them were kept sealed; else they are refused unless
/// `redacted` is set. `invalid` also if none of them is given, both a judge and labels, labels that
/// are wrong or fit no sample, or if the run has a limit of cost and a provider no prices. Returns
/// its id. Blocks.
[[nodiscard]] Result<std::string> blocking_stage_rejudgement(const std::filesystem::path& store,
                                                             const store::RunFolder& source,
                                                             const Rejudgement& rejudgement,
                                                             const SubmissionFacts& facts);

/// Stages a run that takes the measured trials of `source` over and runs those again that failed
/// for infrastructure reasons, or never ran. `invalid` if there are none. Returns its id. Blocks.
[[nodiscard]] Result<std::string> blocking_stage_retry(const std::filesystem::path& store,
                                                       const store::RunFolder& source,
                                                       const SubmissionFacts& facts);

}  // namespace evalfleet::runs
