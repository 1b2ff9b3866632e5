#include "common/job/run_metadata.hpp"

#include "common/job/run_fields.hpp"
#include "common/json/document.hpp"

#include <array>

namespace evalfleet::job {

template <>
struct FieldTable<PromptTemplateInfo> {
    using Info = PromptTemplateInfo;
    static constexpr std::array table{
        field<&Info::id>("id"),         field<&Info::version>("version"),
        field<&Info::system>("system"), field<&Info::text>("template"),
        field<&Info::sha256>("sha256"),
    };
    static std::span<const Field<Info>> fields() { return table; }
};

template <>
struct FieldTable<LearntLimit> {
    static constexpr std::array table{
        field<&LearntLimit::calls_at_once>("calls_at_once"),
        field<&LearntLimit::calls_per_s>("calls_per_s"),
    };
    static std::span<const Field<LearntLimit>> fields() { return table; }
};

namespace {

using Run = RunMetadata;

/// A name that only repeats what another has: written for readers of the document that uses it.
using WriteOnly = void (*)(json::Writer&, const Run&);
constexpr Field<Run> repeated(std::string_view name, WriteOnly write) {
    return {name, [](json::Value, Run&, Strictness) -> Status { return {}; }, write};
}

Status read_schema_version(json::Value value, Run&, Strictness) {
    const auto version = value.as_string();
    if (version && from_name<SchemaVersion>(*version)) return {};
    return value.unexpected(
        fmt::format("one of {}", fmt::join(Names<SchemaVersion>::values, ", ")));
}

/// A text that no reader finds null.
template <auto Pointer>
constexpr Field<Run> never_null(std::string_view name) {
    return {name,
            [](json::Value value, Run& run, Strictness) -> Status {
                const auto text = value.as_string();
                if (!text) return text.error();
                if (*text != kUnknown) run.*Pointer = *text;
                return {};
            },
            [](json::Writer& writer, const Run& run) {
                writer.value((run.*Pointer).value_or(std::string(kUnknown)));
            }};
}

std::string version_of(const ModelRef& model) {
    return model.version.value_or(std::string(kUnknown));
}

Status read_version(json::Value value, ModelRef& model) {
    const auto text = value.as_string();
    if (!text) return text.error();
    if (*text != kUnknown) model.version = *text;
    return {};
}

/// `provider/name@version`; the flat model_id and model_version are read instead.
void write_model(json::Writer& writer, const Run& run) {
    writer.value(
        fmt::format("{}/{}@{}", run.model.provider, run.model.name, version_of(run.model)));
}

Status read_model_id(json::Value value, ModelRef& model) {
    const auto text = value.as_string();
    if (!text) return text.error();
    const std::size_t slash = text->find('/');
    if (slash == std::string_view::npos) return value.unexpected("provider/model-name");
    model.provider = text->substr(0, slash);
    model.name = text->substr(slash + 1);
    return {};
}

void write_model_id(json::Writer& writer, const ModelRef& model) {
    writer.value(fmt::format("{}/{}", model.provider, model.name));
}

constexpr Field<Run> kModelId{
    "model_id",
    [](json::Value value, Run& run, Strictness) { return read_model_id(value, run.model); },
    [](json::Writer& writer, const Run& run) { write_model_id(writer, run.model); }, true};

constexpr Field<Run> kModelVersion{
    "model_version",
    [](json::Value value, Run& run, Strictness) { return read_version(value, run.model); },
    [](json::Writer& writer, const Run& run) { writer.value(version_of(run.model)); }};

ModelRef& judge_of(Run& run) {
    if (!run.evaluator_model) run.evaluator_model.emplace();
    return *run.evaluator_model;
}

constexpr Field<Run> kJudgeId{"evaluator_model_id",
                              [](json::Value value, Run& run, Strictness) -> Status {
                                  if (const auto text = value.as_string();
                                      text && *text == kManualEvaluator)
                                      return {};
                                  return read_model_id(value, judge_of(run));
                              },
                              [](json::Writer& writer, const Run& run) {
                                  if (run.evaluator_model) {
                                      write_model_id(writer, *run.evaluator_model);
                                  } else {
                                      writer.value(kManualEvaluator);
                                  }
                              }};

/// The version of the rubric that people followed, where they gave the labels.
std::string manual_version(const Run& run) {
    return run.evaluator_version.value_or(std::string(kUnknown));
}

constexpr Field<Run> kJudgeVersion{
    "evaluator_model_version",
    [](json::Value value, Run& run, Strictness) { return read_version(value, judge_of(run)); },
    [](json::Writer& writer, const Run& run) {
        writer.value(run.evaluator_model ? version_of(*run.evaluator_model) : manual_version(run));
    }};

constexpr Field<Run> kJudgePrompt{
    "evaluator_prompt_template_version_or_hash",
    never_null<&Run::evaluator_prompt_template_hash>("").read,
    [](json::Writer& writer, const Run& run) {
        const std::string otherwise =
            run.evaluator_model ? std::string(kUnknown) : manual_version(run);
        writer.value(run.evaluator_prompt_template_hash.value_or(otherwise));
    }};

constexpr Field<Run> kDatasetVersion{
    "dataset_version", field<&Run::dataset_version>("").read,
    [](json::Writer& writer, const Run& run) {
        writer.value(run.dataset_version.value_or(run.dataset_hash));
    }};

/// 1.0 had a list of names.
constexpr Field<Run> kModelsReported{
    "model_versions_reported",
    [](json::Value value, Run& run, Strictness strictness) -> Status {
        if (!value.is_array())
            return Codec<NameCounts>::read(value, run.model_versions_reported, strictness);
        std::vector<std::string> names;
        if (Status read = Codec<decltype(names)>::read(value, names, strictness); !read)
            return read;
        for (std::string& name : names)
            run.model_versions_reported.emplace(std::move(name), 0);
        return {};
    },
    field<&Run::model_versions_reported>("").write};

/// Null is a seed that is not wanted, here as in a run file.
Status read_requested(json::Value value, GenerationParams& params, Strictness strictness) {
    params.seed.reset();
    return Codec<GenerationParams>::read(value, params, strictness);
}

constexpr Field<Run> kParamsRequested{
    "generation_params_requested",
    [](json::Value value, Run& run, Strictness strictness) -> Status {
        return read_requested(value, run.generation_params_requested, strictness);
    },
    field<&Run::generation_params_requested>("").write};

constexpr Field<Run> kJudgeParamsRequested{
    "evaluator_generation_params_requested",
    [](json::Value value, Run& run, Strictness strictness) -> Status {
        return read_requested(value, run.evaluator_generation_params_requested.emplace(),
                              strictness);
    },
    field<&Run::evaluator_generation_params_requested>("").write};

constexpr Field<Run> kEnvironment{"environment", field<&Run::environment>("").read,
                                  [](json::Writer& writer, const Run& run) {
                                      Codec<Environment>::write(writer, complete(run.environment));
                                  }};

constexpr Field<Run> kBaselineMargin{"baseline_margin",
                                     [](json::Value value, Run& run, Strictness strictness) {
                                         return read_margins(value, run.baseline_margin,
                                                             strictness);
                                     },
                                     [](json::Writer& writer, const Run& run) {
                                         Codec<Margins>::write(writer, run.baseline_margin);
                                     }};

constexpr std::array kFields{
    Field<Run>{"evaluation_schema_version", read_schema_version,
               [](json::Writer& writer, const Run&) { writer.value(kEvaluationSchemaVersion); }},
    field<&Run::run_id, NotEmpty>("run_id", Presence::required),
    field<&Run::group_id>("group_id"),
    field<&Run::name>("name"),
    sparse_field<&Run::description>("description"),
    sparse_field<&Run::run_labels>("run_labels"),
    field<&Run::timestamp_utc>("timestamp_utc", Presence::required),
    field<&Run::rejudged_from>("rejudged_from"),
    sparse_field<&Run::judged_answers>("judged_answers"),
    field<&Run::retried_from>("retried_from"),
    field<&Run::baseline>("baseline"),
    field<&Run::baseline_run_id>("baseline_run_id"),
    kBaselineMargin,
    field<&Run::saved_calls, Count>("saved_calls"),
    field<&Run::early_stop_note>("early_stop_note"),

    never_null<&Run::dataset_id>("dataset_id"),
    kDatasetVersion,
    field<&Run::dataset_hash>("dataset_hash", Presence::required),
    sparse_field<&Run::dataset_source_hash>("dataset_source_hash"),
    sparse_field<&Run::last_assistant>("last_assistant"),
    repeated("dataset_version_or_hash",
             [](json::Writer& writer, const Run& run) {
                 writer.value(run.dataset_version.value_or(run.dataset_hash));
             }),
    field<&Run::sample_count, Count>("sample_count"),
    field<&Run::repeats, Count>("repeats"),

    repeated("model", write_model),
    kModelId,
    kModelVersion,
    field<&Run::pinned>("pinned"),
    field<&Run::model_version_drift>("model_version_drift"),
    kModelsReported,
    field<&Run::system_fingerprints_reported>("system_fingerprints_reported"),

    kJudgeId,
    kJudgeVersion,
    never_null<&Run::evaluator_version>("evaluator_version"),
    field<&Run::evaluator_labels_hash>("evaluator_labels_hash"),
    field<&Run::evaluator_profile>("evaluator_profile"),
    kJudgePrompt,
    field<&Run::rationale_limit>("rationale_limit"),
    field<&Run::evaluator_generation_params>("evaluator_generation_params"),
    kJudgeParamsRequested,
    field<&Run::evaluator_response_format>("evaluator_response_format"),

    field<&Run::prompt_template>("prompt_template"),
    repeated("prompt_template_id",
             [](json::Writer& writer, const Run& run) { writer.value(run.prompt_template.id); }),
    repeated("prompt_template_version_or_hash",
             [](json::Writer& writer, const Run& run) {
                 const PromptTemplateInfo& prompt = run.prompt_template;
                 writer.value(prompt.version.empty() ? prompt.sha256 : prompt.version);
             }),
    field<&Run::generation_params>("generation_params"),
    repeated("params", [](json::Writer& writer,
                          const Run& run) { write_object(writer, run.generation_params); }),
    kParamsRequested,
    never_null<&Run::api_key_id>("api_key_id"),
    field<&Run::code_version>("code_version"),
    kEnvironment,
    field<&Run::worker_environments>("worker_environments"),
    field<&Run::learnt_limits>("learnt_limits"),

    field<&Run::policy>("policy"),
    field<&Run::redaction_pii>("redaction_pii"),
    field<&Run::cache_savings_method>("cache_savings_method"),
    sparse_field<&Run::price_table>("price_table"),
    field<&Run::incomplete_reason>("incomplete_reason"),
};
static_assert(kFields.size() <= kMaxFields);

/// Undoes what writing puts in the place of null, and fills in what 1.0 did not have.
void tidy(json::Value value, Run& run) {
    if (run.evaluator_model && run.evaluator_model->name.empty()) run.evaluator_model.reset();
    if (!run.evaluator_model) run.evaluator_prompt_template_hash.reset();
    if (run.dataset_version == run.dataset_hash) run.dataset_version.reset();
    std::erase_if(run.environment, [](const auto& said) { return said.second == kUnknown; });
    if (value.find("generation_params_requested")) return;
    const SentParams& sent = run.generation_params;
    GenerationParams& wanted = run.generation_params_requested;
    wanted.temperature = sent.temperature.value_or(wanted.temperature);
    wanted.top_p = sent.top_p.value_or(wanted.top_p);
    wanted.max_tokens = sent.max_tokens.value_or(wanted.max_tokens);
    wanted.seed = sent.seed;
}

}  // namespace

template <>
struct FieldTable<RunMetadata> {
    static std::span<const Field<RunMetadata>> fields() { return kFields; }
};

Result<RunMetadata> read_run_metadata(json::Value value) {
    RunMetadata metadata;
    if (auto read = read_object(value, metadata, Strictness::tolerant); !read) return read.error();
    tidy(value, metadata);
    return metadata;
}

Result<RunMetadata> parse_run_metadata(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    return read_run_metadata(document->root());
}

std::string to_json(const RunMetadata& metadata) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    write_object(writer, metadata);
    out += '\n';
    return out;
}

}  // namespace evalfleet::job
