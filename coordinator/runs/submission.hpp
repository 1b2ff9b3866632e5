#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/providers/provider_config.hpp"
#include "common/runfile/dataset.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::runs {

/// One run that a submission asks for: one model, one prompt.
struct PlannedRun {
    std::string run_id;
    job::RunSpec spec;  ///< with exactly one model and one prompt
    job::RunMetadata metadata;
};

/// What only the moment and the place know of a submission.
struct SubmissionFacts {
    std::string timestamp_utc;  ///< ISO 8601
    std::string stamp;          ///< makes run ids unique and sorts them: 20261116-155501-3f9a2c
    std::string code_version;
    job::Environment environment{};  ///< of the coordinator
    std::string dataset_name{};      ///< its file's, for a dataset without an id
    /// Of the file as it was given, if the run's lines are not its lines.
    std::optional<std::string> dataset_source_hash{};
    std::optional<std::string> labels_hash{};      ///< of the file of manual labels
    std::optional<std::string> baseline_run_id{};  ///< what the spec's baseline names now
    providers::Providers providers{};              ///< the operator's; empty: not known
};

/// Expands a submission into its runs, one for each model and prompt, and fills in their metadata.
/// Several make a group. The name and all of the metadata are redacted, the rest of the specs is
/// what the workers need. Pure.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const job::RunSpec& spec,
                                                const runfile::Dataset& dataset,
                                                const SubmissionFacts& facts);

/// Fills in who judges: the judge's model, or the rubric of the people who label.
void describe_evaluator(job::RunMetadata& metadata, const job::RunSpec& spec,
                        const providers::Providers& known);

/// Fills in which tables the prices of its models come from, if from any. What a derived run takes
/// over costs it nothing, so its source's tables do not matter.
void describe_prices(job::RunMetadata& metadata, const job::RunSpec& spec,
                     const providers::Providers& known);

/// A name as it may stand in a run's id: lower case, letters, digits and dashes, at most 24.
[[nodiscard]] std::string slug(std::string_view name);

}  // namespace evalfleet::runs
