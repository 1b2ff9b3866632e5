#pragma once

#include "common/job/generation_params.hpp"
#include "common/job/margins.hpp"
#include "common/job/message.hpp"
#include "common/job/policy.hpp"
#include "common/job/run_labels.hpp"
#include "common/job/vocabulary.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// A model as a run names it. The provider is the operator's name for it, never an address.
struct ModelRef {
    std::string provider;
    std::string name;
    std::optional<std::string> version;

    /// `provider/model-name@version`, without the last part if there is no version.
    [[nodiscard]] std::string id() const;
    bool operator==(const ModelRef&) const = default;
};

/// True for `latest` as its version or in its name: another model tomorrow, whoever provides it.
/// Results got under it cannot be repeated.
[[nodiscard]] bool names_latest(const ModelRef& model) noexcept;

/// The same, or no version at all: all that can be said while the provider's type is not known.
/// Who knows it asks `providers::floating_reason`.
[[nodiscard]] bool is_floating(const ModelRef& model) noexcept;

/// How a sample becomes a prompt.
struct PromptSpec {
    std::string id = "task-only";
    std::string version = "1";
    std::optional<std::string> system;
    std::string text = "{{task}}";  ///< `template` in the run file
    bool operator==(const PromptSpec&) const = default;
};

/// Bounds on one call of the judge; what is empty is as the run's own limits say.
struct JudgeLimits {
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> attempt_timeout;
    std::optional<std::chrono::milliseconds> connect_timeout;
    std::optional<std::int64_t> max_attempts;
    std::optional<std::chrono::milliseconds> give_up_after;
    bool operator==(const JudgeLimits&) const = default;
};

struct JudgeSpec {
    ModelRef model;
    EvaluatorProfile profile = EvaluatorProfile::rubric_v1;
    RationaleLimit rationale_limit = RationaleLimit::reject;
    GenerationParams generation{};  ///< nothing is taken over from the model's
    JudgeLimits limits{};
    JudgeFormat response_format = JudgeFormat::automatic;
    bool operator==(const JudgeSpec&) const = default;
};

/// What the judge is asked with: its parameters, with JSON as the response's format unless it is to
/// have none.
[[nodiscard]] GenerationParams generation_of_judge(const JudgeSpec& judge);

/// Scores given by people instead of a judge.
struct LabelsSpec {
    std::string path;
    std::string version;  ///< of the rubric the people followed
    bool operator==(const LabelsSpec&) const = default;
};

/// A file, or a data set that a coordinator knows by its id.
struct DatasetRef {
    std::string path;  ///< empty: only `id` says which
    std::optional<std::string> id;
    std::optional<std::string> version;
    std::optional<std::string> hash;  ///< sha256 of its bytes, in hex: exactly this content
    /// What a chat's last turn is if it is an assistant's; nothing: there must be none such.
    std::optional<LastAssistant> last_assistant{};
    bool operator==(const DatasetRef&) const = default;
};

/// Bounds on one trial's call and on the run's load.
struct CallLimits {
    std::chrono::milliseconds timeout{120'000};  ///< the whole call, retries and waits included
    /// Of one attempt. A reader that finds none takes `timeout` instead if that is shorter.
    std::chrono::milliseconds attempt_timeout{120'000};
    std::chrono::milliseconds connect_timeout{10'000};
    std::int64_t max_attempts = 5;
    /// How long after its first attempt a trial that fails for reasons of infrastructure is put
    /// back and tried again; 0: never, the first such failure is its record.
    std::chrono::milliseconds give_up_after{1'800'000};
    std::int64_t max_in_flight = 0;     ///< trials at once; 0: no limit of its own
    double max_cost_usd = 0;            ///< of all calls together; 0: no limit
    std::int64_t max_total_tokens = 0;  ///< likewise, input and output, model and judge
    bool operator==(const CallLimits&) const = default;
};

/// The limits of the judge's calls: its own, and the run's for what it leaves open. An attempt
/// lasts no longer than its call.
[[nodiscard]] CallLimits limits_of_judge(const CallLimits& run, const JudgeLimits& judge);

struct RedactionSpec {
    bool pii = true;
    bool operator==(const RedactionSpec&) const = default;
};

/// What a person asks for: the content of a run file. Several models or prompts make one run each,
/// together a group.
struct RunSpec {
    std::int64_t version = 1;
    std::string name;
    std::optional<std::string> description{};
    RunLabels run_labels{};  ///< `labels` in a run file are scores that people gave
    DatasetRef dataset;
    std::vector<ModelRef> models;
    std::vector<PromptSpec> prompts{PromptSpec{}};
    GenerationParams generation;
    std::optional<JudgeSpec> judge;
    std::optional<LabelsSpec> labels;
    std::int64_t repeats = 1;
    CallLimits limits;
    Policy policy;
    RedactionSpec redaction;
    std::int64_t priority = 5;  ///< 0 lowest .. 9 highest
    bool allow_floating_model = false;
    std::optional<std::string> baseline;  ///< the name of a run that this one must not fall behind
    /// The same run as a folder of this machine, for a run with a fleet of its own. Never both.
    std::optional<std::string> baseline_path{};
    Margins baseline_margin;  ///< by how much it may, by metric; empty: not asked for
    EarlyStop early_stop = EarlyStop::never;
    /// Set by a coordinator only: the run whose stored answers are judged anew.
    std::optional<std::string> rejudged_from;
    /// Likewise: what its judge sees where stored answers are redacted, and the id of the key that
    /// opens the originals.
    std::optional<JudgedAnswer> judged_answers{};
    std::optional<std::string> originals_key_id{};
    std::string providers = "{}";  ///< JSON as given; read by who has the providers' types
    bool operator==(const RunSpec&) const = default;
};

/// Reads a run file's content strictly: an unknown key is an error that names the nearest allowed
/// one. `model` and `prompt` are short for lists of one. What contradicts itself is an error: no
/// judge and no labels, or both; a model that `names_latest` without `allow_floating_model`. The
/// error's message has a line for each fault, each starting with its path (none for the whole).
[[nodiscard]] Result<RunSpec> read_run_spec(json::Value value);
[[nodiscard]] Result<RunSpec> parse_run_spec(std::string_view json);

/// Appends the whole run file, defaults included; reads back as the same.
void write(json::Writer& writer, const RunSpec& spec);

}  // namespace evalfleet::job
