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

/// `provider/name@version`; the flat model_id and model_version are read instead.
void write_model(json::Writer& writer, const Run& run) {
    writer.value(run.model.id());
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
    [](json::Value value, Run& run, Strictness strictness) {
        return Codec<std::optional<std::string>>::read(value, run.model.version, strictness);
    },
    [](json::Writer& writer, const Run& run) { writer.value(run.model.version); }};

ModelRef& judge_of(Run& run) {
    if (!run.evaluator_model) run.evaluator_model.emplace();
    return *run.evaluator_model;
}

constexpr Field<Run> kJudgeId{
    "evaluator_model_id",
    [](json::Value value, Run& run, Strictness) { return read_model_id(value, judge_of(run)); },
    [](json::Writer& writer, const Run& run) {
        if (run.evaluator_model) {
            write_model_id(writer, *run.evaluator_model);
        } else {
            writer.null();
        }
    }};

constexpr Field<Run> kJudgeVersion{
    "evaluator_model_version",
    [](json::Value value, Run& run, Strictness strictness) {
        return Codec<std::optional<std::string>>::read(value, judge_of(run).version, strictness);
    },
    [](json::Writer& writer, const Run& run) {
        writer.value(run.evaluator_model ? run.evaluator_model->version : std::nullopt);
    }};

constexpr std::array kFields{
    Field<Run>{"evaluation_schema_version", read_schema_version,
               [](json::Writer& writer, const Run&) { writer.value(kEvaluationSchemaVersion); }},
    field<&Run::run_id, NotEmpty>("run_id", Presence::required),
    field<&Run::group_id>("group_id"),
    field<&Run::name>("name"),
    field<&Run::timestamp_utc>("timestamp_utc", Presence::required),
    field<&Run::rejudged_from>("rejudged_from"),
    field<&Run::retried_from>("retried_from"),
    field<&Run::baseline>("baseline"),
    field<&Run::baseline_run_id>("baseline_run_id"),
    field<&Run::saved_calls, Count>("saved_calls"),

    field<&Run::dataset_id>("dataset_id"),
    field<&Run::dataset_version>("dataset_version"),
    field<&Run::dataset_hash>("dataset_hash", Presence::required),
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
    field<&Run::model_versions_reported>("model_versions_reported"),

    kJudgeId,
    kJudgeVersion,
    field<&Run::evaluator_version>("evaluator_version"),
    field<&Run::evaluator_labels_hash>("evaluator_labels_hash"),
    field<&Run::evaluator_profile>("evaluator_profile"),
    field<&Run::evaluator_prompt_template_hash>("evaluator_prompt_template_version_or_hash"),
    field<&Run::rationale_limit>("rationale_limit"),

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
    field<&Run::api_key_id>("api_key_id"),
    field<&Run::code_version>("code_version"),
    field<&Run::environment>("environment"),

    field<&Run::policy>("policy"),
    field<&Run::redaction_pii>("redaction_pii"),
    field<&Run::cache_savings_method>("cache_savings_method"),
    field<&Run::incomplete_reason>("incomplete_reason"),
};
static_assert(kFields.size() <= kMaxFields);

}  // namespace

template <>
struct FieldTable<RunMetadata> {
    static std::span<const Field<RunMetadata>> fields() { return kFields; }
};

Result<RunMetadata> read_run_metadata(json::Value value) {
    RunMetadata metadata;
    if (auto read = read_object(value, metadata, Strictness::tolerant); !read) return read.error();
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
