#include "common/job/run_spec.hpp"

#include "common/job/json_copy.hpp"
#include "common/job/judge_json.hpp"
#include "common/job/partial_run_spec.hpp"
#include "common/job/run_fields.hpp"
#include "common/json/document.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::job {

namespace {

struct UpToThirtyDays {
    static Status check(json::Value value, std::optional<std::chrono::milliseconds> duration) {
        constexpr std::chrono::hours kMax{30 * 24};
        if (!duration || (duration->count() >= 0 && *duration <= kMax)) return {};
        return value.unexpected("milliseconds from 0 to 2592000000");
    }
};

struct LongerThanZero {
    static Status check(json::Value value, std::optional<std::chrono::milliseconds> duration) {
        constexpr std::chrono::hours kMax{24};
        if (!duration || (duration->count() > 0 && *duration <= kMax)) return {};
        return value.unexpected("milliseconds from 1 to 86400000");
    }
};

}  // namespace

template <>
struct Codec<std::chrono::milliseconds> {
    static Status read(json::Value value, std::chrono::milliseconds& out, Strictness) {
        const auto count = value.as_int64();
        if (!count) return count.error();
        out = std::chrono::milliseconds(*count);
        return {};
    }
    static void write(json::Writer& writer, std::chrono::milliseconds duration) {
        writer.value(std::int64_t{duration.count()});
    }
};

template <>
struct FieldTable<PromptSpec> {
    static constexpr std::array table{
        field<&PromptSpec::id, NotEmpty>("id", Presence::required),
        field<&PromptSpec::version, NotEmpty>("version", Presence::required),
        field<&PromptSpec::system>("system"),
        field<&PromptSpec::text, NotEmpty>("template", Presence::required),
    };
    static std::span<const Field<PromptSpec>> fields() { return table; }
};

namespace {

/// The judge's model stands flat beside its settings.
template <std::size_t Index>
constexpr Field<JudgeSpec> judge_model_field() {
    return {FieldTable<ModelRef>::table[Index].name,
            [](json::Value value, JudgeSpec& judge, Strictness strictness) {
                return FieldTable<ModelRef>::table[Index].read(value, judge.model, strictness);
            },
            [](json::Writer& writer, const JudgeSpec& judge) {
                FieldTable<ModelRef>::table[Index].write(writer, judge.model);
            },
            FieldTable<ModelRef>::table[Index].required};
}

}  // namespace

template <>
struct FieldTable<JudgeLimits> {
    using Limits = JudgeLimits;
    static constexpr std::array table{
        sparse_field<&Limits::timeout, LongerThanZero>("timeout_ms"),
        sparse_field<&Limits::attempt_timeout, LongerThanZero>("attempt_timeout_ms"),
        sparse_field<&Limits::connect_timeout, LongerThanZero>("connect_timeout_ms"),
        sparse_field<&Limits::max_attempts, InRange<1.0, 100.0>>("max_attempts"),
        sparse_field<&Limits::give_up_after, UpToThirtyDays>("give_up_after_ms"),
    };
    static std::span<const Field<Limits>> fields() { return table; }
};

template <>
struct FieldTable<JudgeSpec> {
    static constexpr std::array table{
        judge_model_field<0>(),
        judge_model_field<1>(),
        judge_model_field<2>(),
        field<&JudgeSpec::profile>("profile"),
        field<&JudgeSpec::rationale_limit>("rationale_limit"),
        sparse_field<&JudgeSpec::generation>("generation"),
        sparse_field<&JudgeSpec::limits>("limits"),
        sparse_field<&JudgeSpec::response_format>("response_format"),
    };
    static std::span<const Field<JudgeSpec>> fields() { return table; }
};

template <>
struct FieldTable<LabelsSpec> {
    static constexpr std::array table{
        field<&LabelsSpec::path, NotEmpty>("path", Presence::required),
        field<&LabelsSpec::version, NotEmpty>("version", Presence::required),
    };
    static std::span<const Field<LabelsSpec>> fields() { return table; }
};

template <>
struct FieldTable<DatasetRef> {
    static constexpr std::array table{
        field<&DatasetRef::path>("path"),
        field<&DatasetRef::id>("id"),
        field<&DatasetRef::version>("version"),
        field<&DatasetRef::hash>("hash"),
        sparse_field<&DatasetRef::last_assistant>("last_assistant"),
    };
    static std::span<const Field<DatasetRef>> fields() { return table; }
};

template <>
struct FieldTable<CallLimits> {
    using Limits = CallLimits;
    static constexpr std::array table{
        field<&Limits::timeout, LongerThanZero>("timeout_ms"),
        field<&Limits::attempt_timeout, LongerThanZero>("attempt_timeout_ms"),
        field<&Limits::connect_timeout, LongerThanZero>("connect_timeout_ms"),
        field<&Limits::max_attempts, InRange<1.0, 100.0>>("max_attempts"),
        field<&Limits::give_up_after, UpToThirtyDays>("give_up_after_ms"),
        field<&Limits::max_in_flight, InRange<0.0, 1e6>>("max_in_flight"),
        field<&Limits::max_cost_usd, InRange<0.0, 1e6>>("max_cost_usd"),
        field<&Limits::max_total_tokens, InRange<0.0, 1e15>>("max_total_tokens"),
    };
    static std::span<const Field<Limits>> fields() { return table; }
};

/// An attempt whose own time nobody gave may take as long as the whole call, and no longer.
template <>
struct Codec<CallLimits> {
    static Status read(json::Value value, CallLimits& out, Strictness strictness) {
        Status read = read_object(value, out, strictness);
        if (read && !value.find("attempt_timeout_ms"))
            out.attempt_timeout = std::min(out.attempt_timeout, out.timeout);
        return read;
    }
    static void write(json::Writer& writer, const CallLimits& limits) {
        write_object(writer, limits);
    }
};

template <>
struct FieldTable<RedactionSpec> {
    static constexpr std::array table{field<&RedactionSpec::pii>("pii")};
    static std::span<const Field<RedactionSpec>> fields() { return table; }
};

namespace {

/// A list under its singular name: one item, given without brackets. Never written.
template <auto List>
constexpr Field<RunSpec> single(std::string_view name) {
    return {name,
            [](json::Value value, RunSpec& spec, Strictness strictness) -> Status {
                auto& list = spec.*List;
                list.resize(1);
                using Item = typename std::remove_reference_t<decltype(list)>::value_type;
                return Codec<Item>::read(value, list.front(), strictness);
            },
            nullptr};
}

constexpr Field<RunSpec> kProviders{
    "providers",
    [](json::Value value, RunSpec& spec, Strictness) -> Status {
        if (!value.is_object()) return value.unexpected("an object");
        spec.providers = json_text(value);
        return {};
    },
    [](json::Writer& writer, const RunSpec& spec) { writer.raw(spec.providers); }};

struct NotEmptyIfGiven {
    static Status check(json::Value value, const std::optional<std::string>& text) {
        return text ? NotEmpty::check(value, *text) : Status{};
    }
};

struct NamedBaseline {
    std::optional<std::string> name;
    std::optional<std::string> path;
    Margins margin;
};

}  // namespace

template <>
struct FieldTable<NamedBaseline> {
    static constexpr std::array table{
        field<&NamedBaseline::name, NotEmptyIfGiven>("name"),
        field<&NamedBaseline::path, NotEmptyIfGiven>("path"),
        Field<NamedBaseline>{"margin",
                             [](json::Value value, NamedBaseline& out, Strictness strictness) {
                                 return read_margins(value, out.margin, strictness);
                             },
                             nullptr},
    };
    static std::span<const Field<NamedBaseline>> fields() { return table; }
};

namespace {

Status read_baseline(json::Value value, RunSpec& spec, Strictness strictness) {
    spec.baseline_margin.clear();
    spec.baseline_path.reset();
    if (!value.is_object())
        return Codec<std::optional<std::string>>::read(value, spec.baseline, strictness);
    NamedBaseline named;
    const Status read = read_object(value, named, strictness);
    spec.baseline = std::move(named.name);
    spec.baseline_path = std::move(named.path);
    spec.baseline_margin = std::move(named.margin);
    if (!read || spec.baseline.has_value() != spec.baseline_path.has_value()) return read;
    return value.error(spec.baseline ? "has both \"name\" and \"path\"; give one"
                                     : "\"name\" is required but missing, or \"path\" of a folder");
}

void write_baseline(json::Writer& writer, const RunSpec& spec) {
    if (!spec.baseline_path && (!spec.baseline || spec.baseline_margin.empty())) {
        writer.value(spec.baseline);
        return;
    }
    writer.begin_object();
    if (spec.baseline) writer.member("name", *spec.baseline);
    if (spec.baseline_path) writer.member("path", *spec.baseline_path);
    writer.key("margin");
    Codec<Margins>::write(writer, spec.baseline_margin);
    writer.end_object();
}

struct KnownVersion {
    static Status check(json::Value value, int version) {
        if (version == 1) return {};
        return value.error(fmt::format("found {}; this program reads version 1", version));
    }
};

struct GoodDescription {
    static Status check(json::Value value, const std::optional<std::string>& text) {
        const auto allowed = text ? fault_of_description(*text) : std::nullopt;
        return allowed ? Status(value.error("allowed: " + *allowed)) : Status{};
    }
};

struct GoodLabels {
    static Status check(json::Value value, const RunLabels& labels) {
        FaultGatherer faults(Strictness::strict);
        for (const auto& [key, text] : labels) {
            if (const auto allowed = fault_of_label_key(key))
                faults.accept(
                    value.error(fmt::format("found the key \"{}\"; allowed: {}", key, *allowed)));
            else if (const auto bound = fault_of_label_value(text))
                faults.accept(value.find(key)->error("allowed: " + *bound));
        }
        if (labels.size() > kMaxRunLabels)
            faults.accept(value.error(
                fmt::format("found {} labels; allowed: at most {}", labels.size(), kMaxRunLabels)));
        return faults.status();
    }
};

// A name, or a map of the name and the margins.
constexpr Field<RunSpec> kBaseline{"baseline", read_baseline, write_baseline};

constexpr std::array kFields{
    field<&RunSpec::version, KnownVersion>("version", Presence::required),
    field<&RunSpec::name, NotEmpty>("name", Presence::required),
    sparse_field<&RunSpec::description, GoodDescription>("description"),
    sparse_field<&RunSpec::run_labels, GoodLabels>("run_labels"),
    field<&RunSpec::dataset>("dataset", Presence::required),
    single<&RunSpec::models>("model"),
    field<&RunSpec::models, NotEmpty>("models"),
    single<&RunSpec::prompts>("prompt"),
    field<&RunSpec::prompts, NotEmpty>("prompts"),
    field<&RunSpec::generation>("generation"),
    field<&RunSpec::judge>("judge"),
    field<&RunSpec::labels>("labels"),
    field<&RunSpec::repeats, InRange<1.0, 10000.0>>("repeats"),
    field<&RunSpec::limits>("limits"),
    field<&RunSpec::policy>("policy"),
    field<&RunSpec::redaction>("redaction"),
    field<&RunSpec::priority, InRange<0.0, 9.0>>("priority"),
    field<&RunSpec::allow_floating_model>("allow_floating_model"),
    kBaseline,
    field<&RunSpec::early_stop>("early_stop"),
    field<&RunSpec::rejudged_from>("rejudged_from"),
    sparse_field<&RunSpec::judged_answers>("judged_answers"),
    sparse_field<&RunSpec::originals_key_id>("originals_key_id"),
    kProviders,
};

Status check_exclusive(json::Value value, std::string_view one, std::string_view other) {
    const bool both = value.find(one) && value.find(other);
    if (!both) return {};
    return value.error(fmt::format("has both \"{}\" and \"{}\"; give one", one, other));
}

/// Whether one of two members stands there, right or wrong: what is wrong is said of itself.
bool has_either(json::Value value, std::string_view one, std::string_view other) {
    const auto is_given = [&](std::string_view name) {
        const auto member = value.find(name);
        return member && !member->is_null();
    };
    return is_given(one) || is_given(other);
}

Status check_given(json::Value value, std::string_view one, std::string_view other) {
    if (has_either(value, one, other)) return {};
    return value.error(fmt::format("\"{}\" or \"{}\" is required but missing", one, other));
}

/// Where the model stands in the run file.
json::Value place_of_model(json::Value value, std::size_t index) {
    if (const auto single = value.find("model")) return *single;
    const auto models = value.find("models").value().as_array();
    auto at = models->begin();
    for (std::size_t i = 0; i < index; ++i)
        ++at;
    return *at;
}

Status check_pinned(json::Value value, const RunSpec& spec, std::size_t index) {
    const ModelRef& model = spec.models[index];
    if (spec.allow_floating_model || !names_latest(model)) return {};
    return place_of_model(value, index)
        .error(fmt::format("the model {} is not pinned to a version, so its results cannot be "
                           "repeated; give \"version\" (not \"latest\"), or set "
                           "allow_floating_model: true",
                           model.id()));
}

Status check_dataset(json::Value value, const DatasetRef& dataset) {
    const auto place = value.find("dataset");
    if (!place || !place->is_object()) return {};  // which was said
    const auto path = place->find("path");
    const bool is_wrong = path && !path->is_null() && !path->as_string();
    if (dataset.path.empty() && !is_wrong && !has_either(*place, "id", "id"))
        return place->error("\"path\" or \"id\" is required but missing");
    const bool is_hash = !dataset.hash || !place->find("hash")->as_string() ||  // which was said
                         (dataset.hash->size() == 64 &&
                          dataset.hash->find_first_not_of("0123456789abcdef") == std::string::npos);
    if (!is_hash) return place->find("hash")->unexpected("64 digits of lower-case hex");
    return {};
}

/// Contradictions between members, as far as these could be read.
Status check_whole(json::Value value, const RunSpec& spec) {
    FaultGatherer faults(Strictness::strict);
    faults.accept(check_dataset(value, spec.dataset));
    faults.accept(check_exclusive(value, "model", "models"));
    faults.accept(check_exclusive(value, "prompt", "prompts"));
    faults.accept(check_given(value, "model", "models"));
    faults.accept(check_given(value, "judge", "labels"));
    const auto is_given = [&](std::string_view name) { return has_either(value, name, name); };
    if (is_given("judge") && is_given("labels"))
        faults.accept(value.error("has both \"judge\" and \"labels\"; give one"));
    if (value.find("model") && value.find("models")) return faults.status();
    for (std::size_t i = 0; i < spec.models.size(); ++i)
        faults.accept(check_pinned(value, spec, i));
    return faults.status();
}

}  // namespace

template <>
struct FieldTable<RunSpec> {
    static std::span<const Field<RunSpec>> fields() { return kFields; }
};

std::string ModelRef::id() const {
    return version ? fmt::format("{}/{}@{}", provider, name, *version)
                   : fmt::format("{}/{}", provider, name);
}

bool names_latest(const ModelRef& model) noexcept {
    constexpr std::string_view kLatest = "latest";
    if (model.version == kLatest) return true;
    if (!std::string_view(model.name).ends_with(kLatest)) return false;
    const std::string_view before =
        std::string_view(model.name).substr(0, model.name.size() - kLatest.size());
    return before.empty() || before.ends_with('-') || before.ends_with(':');
}

bool is_floating(const ModelRef& model) noexcept {
    return !model.version || model.version->empty() || names_latest(model);
}

GenerationParams generation_of_judge(const JudgeSpec& judge) {
    GenerationParams params = judge.generation;
    const bool wants_json = judge.response_format != JudgeFormat::none;
    if (wants_json && !params.response_format) params.response_format.emplace();
    return params;
}

CallLimits limits_of_judge(const CallLimits& run, const JudgeLimits& judge) {
    CallLimits limits = run;
    limits.timeout = judge.timeout.value_or(run.timeout);
    limits.attempt_timeout =
        std::min(judge.attempt_timeout.value_or(run.attempt_timeout), limits.timeout);
    limits.connect_timeout = judge.connect_timeout.value_or(run.connect_timeout);
    limits.max_attempts = judge.max_attempts.value_or(run.max_attempts);
    limits.give_up_after = judge.give_up_after.value_or(run.give_up_after);
    return limits;
}

Result<JudgeSpec> read_judge_spec(json::Value value) {
    JudgeSpec judge;
    if (auto read = read_object(value, judge, Strictness::strict); !read) return read.error();
    return judge;
}

namespace {

Status read_into(json::Value value, RunSpec& spec) {
    FaultGatherer faults(Strictness::strict);
    faults.accept(read_object(value, spec, Strictness::strict));
    if (value.is_object()) faults.accept(check_whole(value, spec));
    return faults.status();
}

}  // namespace

Result<RunSpec> read_run_spec(json::Value value) {
    RunSpec spec;
    if (const Status read = read_into(value, spec); !read) return read.error();
    return spec;
}

Status read_partly(std::string_view json, RunSpec& out) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    return read_into(document->root(), out);
}

Result<RunSpec> parse_run_spec(std::string_view json) {
    RunSpec spec;
    if (const Status read = read_partly(json, spec); !read) return read.error();
    return spec;
}

void write(json::Writer& writer, const RunSpec& spec) {
    writer.begin_object();
    for (const Field<RunSpec>& known : kFields) {
        if (known.write == nullptr) continue;
        writer.key(known.name);
        known.write(writer, spec);
    }
    writer.end_object();
}

}  // namespace evalfleet::job
