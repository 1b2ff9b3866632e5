#pragma once

#include "common/job/environment.hpp"
#include "common/job/generation_params.hpp"
#include "common/job/policy.hpp"
#include "common/job/run_labels.hpp"
#include "common/job/run_spec.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// The prompt template of a run: which, and its exact text.
struct PromptTemplateInfo {
    std::string id;
    std::string version;
    std::optional<std::string> system;
    std::string text;    ///< `template` in JSON
    std::string sha256;  ///< of system, a NUL and text
    bool operator==(const PromptTemplateInfo&) const = default;
};

/// How many trials said each of some names.
/// What the fleet learnt of a provider's limits; what is empty does not limit.
struct LearntLimit {
    std::optional<double> calls_at_once;
    std::optional<double> calls_per_s;

    bool operator==(const LearntLimit&) const = default;
};
using LearntLimits = std::map<std::string, LearntLimit, std::less<>>;

using NameCounts = std::map<std::string, std::int64_t, std::less<>>;

/// What stands for the model of the evaluator where people gave the labels.
inline constexpr std::string_view kManualEvaluator = "manual";

/// Everything needed to repeat or audit a run: `run.json`. Holds every name of Rubric 4.3 and
/// Specification 5, flat, and none of them is null there: what is empty here and cannot be said by
/// other means is written as `unknown`. Where the two documents have different names for one thing
/// there is one member, written under both (model_id is part of model, params is generation_params,
/// and so on).
struct RunMetadata {
    std::string run_id;
    std::optional<std::string> group_id;
    std::optional<std::string> name;
    std::optional<std::string> description{};
    RunLabels run_labels{};
    std::string timestamp_utc;                     ///< ISO 8601, when the run was submitted
    std::optional<std::string> rejudged_from;      ///< the run whose answers these are
    std::optional<JudgedAnswer> judged_answers{};  ///< where some of them are stored redacted
    std::optional<std::string> retried_from;       ///< the run whose failed trials were run again
    std::optional<std::string> baseline;           ///< its name when the run was submitted
    std::optional<std::string> baseline_run_id;
    Margins baseline_margin;  ///< by how much the run may be worse, by metric
    std::optional<std::int64_t>
        saved_calls;  ///< of a run that ended early: its verdict was certain
    /// Of a run that might have ended early: what spoke against it.
    std::optional<std::string> early_stop_note;

    std::optional<std::string> dataset_id;
    std::optional<std::string> dataset_version;
    std::string dataset_hash;  ///< sha256 of the file's bytes, in hex
    /// Of the file as it was given, where its lines were changed for the run: pictures embedded,
    /// last turns made references.
    std::optional<std::string> dataset_source_hash{};
    std::optional<LastAssistant> last_assistant{};
    std::int64_t sample_count = 0;
    std::int64_t repeats = 1;

    ModelRef model;
    bool pinned = true;                  ///< false: a floating model was allowed to run
    bool model_version_drift = false;    ///< the provider reported more than one version or build
    NameCounts model_versions_reported;  ///< by the provider, with how many trials each
    NameCounts system_fingerprints_reported;  ///< likewise

    std::optional<ModelRef> evaluator_model;           ///< none: people gave the labels
    std::optional<std::string> evaluator_version;      ///< the judge's model, or the manual rubric
    std::optional<std::string> evaluator_labels_hash;  ///< sha256 of the file of manual labels
    std::optional<EvaluatorProfile> evaluator_profile;
    std::optional<std::string> evaluator_prompt_template_hash;
    std::optional<RationaleLimit> rationale_limit;
    std::optional<SentParams> evaluator_generation_params;  ///< of the judge, as really sent
    std::optional<GenerationParams> evaluator_generation_params_requested;
    std::optional<JudgeFormat> evaluator_response_format;

    PromptTemplateInfo prompt_template;
    SentParams generation_params;                    ///< as they were really sent
    GenerationParams generation_params_requested{};  ///< as the run file wants them
    std::optional<std::string> api_key_id;  ///< the operator's label, never made from the key
    std::string code_version{kUnknown};     ///< git SHA, all 40 digits
    Environment environment;                ///< of the coordinator
    NameCounts worker_environments;         ///< of the workers, with how many trials each
    LearntLimits learnt_limits;  ///< by account, where calls were refused, as the run ended

    Policy policy;
    bool redaction_pii = true;
    std::optional<std::string> cache_savings_method;  ///< null without a price table
    /// Where prices come from, if it is a table: its file, its date, and the models it lacks.
    std::optional<std::string> price_table{};
    std::optional<std::string> incomplete_reason;  ///< why trials were left out, if a limit did it

    bool operator==(const RunMetadata&) const = default;
};

/// Reads `run.json`; unknown members are skipped, a wrong one is an error with its path.
[[nodiscard]] Result<RunMetadata> read_run_metadata(json::Value value);
[[nodiscard]] Result<RunMetadata> parse_run_metadata(std::string_view json);

/// The text of `run.json`: every name in a fixed order, pretty, with a line feed at the end.
[[nodiscard]] std::string to_json(const RunMetadata& metadata);

}  // namespace evalfleet::job
