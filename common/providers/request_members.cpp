#include "common/providers/request_members.hpp"

#include "common/job/json_copy.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace evalfleet::providers {

namespace {

struct Known {
    std::string_view path;
    std::string_view name;
};

constexpr std::string_view kNobody;

constexpr std::array kOpenAi{
    Known{"model", kNobody},
    Known{"messages", kNobody},
    Known{"stream", kNobody},
    Known{"stream_options", kNobody},
    Known{"temperature", "temperature"},
    Known{"top_p", "top_p"},
    Known{"max_tokens", "max_tokens"},
    Known{"max_completion_tokens", "max_tokens"},
    Known{"seed", "seed"},
    Known{"stop", "stop"},
    Known{"response_format", "response_format"},
    Known{"reasoning_effort", "reasoning_effort"},
};
constexpr std::array kAnthropic{
    Known{"model", kNobody},
    Known{"messages", kNobody},
    Known{"system", kNobody},
    Known{"stream", kNobody},
    Known{"max_tokens", "max_tokens"},
    Known{"temperature", "temperature"},
    Known{"top_p", "top_p"},
    Known{"stop_sequences", "stop"},
    Known{"thinking", "thinking_budget"},
    Known{"output_config.effort", "reasoning_effort"},
    Known{"output_config.format", "response_format"},
};
constexpr std::array kGemini{
    Known{"contents", kNobody},
    Known{"systemInstruction", kNobody},
    Known{"generationConfig.temperature", "temperature"},
    Known{"generationConfig.topP", "top_p"},
    Known{"generationConfig.maxOutputTokens", "max_tokens"},
    Known{"generationConfig.seed", "seed"},
    Known{"generationConfig.stopSequences", "stop"},
    Known{"generationConfig.responseMimeType", "response_format"},
    Known{"generationConfig.responseJsonSchema", "response_format"},
    Known{"generationConfig.thinkingConfig.thinkingLevel", "reasoning_effort"},
    Known{"generationConfig.thinkingConfig.thinkingBudget", "thinking_budget"},
};
constexpr std::array kOllama{
    Known{"model", kNobody},
    Known{"messages", kNobody},
    Known{"stream", kNobody},
    Known{"format", "response_format"},
    Known{"think", "reasoning_effort"},
    Known{"options.temperature", "temperature"},
    Known{"options.top_p", "top_p"},
    Known{"options.num_predict", "max_tokens"},
    Known{"options.seed", "seed"},
    Known{"options.stop", "stop"},
};

constexpr std::array kResponses{
    Known{"model", kNobody},
    Known{"input", kNobody},
    Known{"instructions", kNobody},
    Known{"stream", kNobody},
    Known{"store", kNobody},
    Known{"temperature", "temperature"},
    Known{"top_p", "top_p"},
    Known{"max_output_tokens", "max_tokens"},
    Known{"text.format", "response_format"},
    Known{"reasoning.effort", "reasoning_effort"},
};
constexpr std::array kCompletions{
    Known{"model", kNobody},
    Known{"prompt", kNobody},
    Known{"stream", kNobody},
    Known{"stream_options", kNobody},
    Known{"temperature", "temperature"},
    Known{"top_p", "top_p"},
    Known{"max_tokens", "max_tokens"},
    Known{"seed", "seed"},
    Known{"stop", "stop"},
    Known{"response_format", "response_format"},
};
constexpr std::array kBedrock{
    Known{"messages", kNobody},
    Known{"system", kNobody},
    Known{"inferenceConfig.temperature", "temperature"},
    Known{"inferenceConfig.topP", "top_p"},
    Known{"inferenceConfig.maxTokens", "max_tokens"},
    Known{"inferenceConfig.stopSequences", "stop"},
};
constexpr std::array kVertexAnthropic{
    Known{"anthropic_version", kNobody},
    Known{"messages", kNobody},
    Known{"system", kNobody},
    Known{"stream", kNobody},
    Known{"max_tokens", "max_tokens"},
    Known{"temperature", "temperature"},
    Known{"top_p", "top_p"},
    Known{"stop_sequences", "stop"},
    Known{"thinking", "thinking_budget"},
    Known{"output_config.effort", "reasoning_effort"},
    Known{"output_config.format", "response_format"},
};
constexpr std::array kCommand{
    Known{"model", kNobody},
    Known{"version", kNobody},
    Known{"messages", kNobody},
    Known{"generation.temperature", "temperature"},
    Known{"generation.top_p", "top_p"},
    Known{"generation.max_tokens", "max_tokens"},
    Known{"generation.seed", "seed"},
    Known{"generation.stop", "stop"},
    Known{"generation.response_format", "response_format"},
    Known{"generation.reasoning_effort", "reasoning_effort"},
};

std::span<const Known> members_of(ProviderType type) {
    switch (type) {
        case ProviderType::anthropic:
            return kAnthropic;
        case ProviderType::gemini:
        case ProviderType::vertex_gemini:
            return kGemini;
        case ProviderType::ollama:
            return kOllama;
        case ProviderType::openai_responses:
            return kResponses;
        case ProviderType::openai_completions:
            return kCompletions;
        case ProviderType::bedrock:
            return kBedrock;
        case ProviderType::vertex_anthropic:
            return kVertexAnthropic;
        case ProviderType::command:
            return kCommand;
        case ProviderType::openai:
        case ProviderType::azure_openai:
            break;
    }
    return kOpenAi;
}

/// Google takes every name in two spellings, which would be two members of one body:
/// `generation_config.top_k` is `generationConfig.topK`.
std::string in_camel_case(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool joins = name[i] == '_' && i > 0 && i + 1 < name.size() && name[i + 1] >= 'a' &&
                           name[i + 1] <= 'z';
        if (joins)
            out += static_cast<char>(name[++i] - 'a' + 'A');
        else
            out += name[i];
    }
    return out;
}

bool is_googles(ProviderType type) {
    return type == ProviderType::gemini || type == ProviderType::vertex_gemini;
}

/// What is below these is the run's own: its names are nobody's spelling.
bool is_own_map(std::string_view name) {
    return name == "labels" || name == "responseSchema" || name == "responseJsonSchema";
}

/// Copies an object with its names in one spelling. False: it has one of them in both.
bool copy_in_camel_case(json::Writer& writer, json::Value object, int depth = 0) {
    constexpr int kDeepest = 3;  // generationConfig.thinkingConfig.thinkingBudget
    bool is_unique = true;
    writer.begin_object();
    for (const auto [key, value] : *object.as_object()) {
        const std::string name = in_camel_case(key);
        is_unique &= name == key || !object.find(name);
        writer.key(name);
        if (value.is_object() && depth + 1 < kDeepest && !is_own_map(name))
            is_unique &= copy_in_camel_case(writer, value, depth + 1);
        else
            job::copy_json(writer, value);
    }
    writer.end_object();
    return is_unique;
}

/// The member at a path, or what stands in its way: something that is no object where it must be.
std::optional<std::string_view> find_path(json::Value value, std::string_view path) {
    for (std::size_t from = 0;;) {
        const std::size_t dot = path.find('.', from);
        const auto member = value.find(path.substr(from, dot - from));
        if (!member) return std::nullopt;
        if (dot == std::string_view::npos) return path;
        if (!member->is_object()) return path.substr(0, dot);
        value = *member;
        from = dot + 1;
    }
}

void merge(json::Writer& writer, json::Value base, json::Value extra) {
    writer.begin_object();
    for (const auto [key, value] : *base.as_object()) {
        writer.key(key);
        const auto more = extra.find(key);
        if (more && value.is_object() && more->is_object()) {
            merge(writer, value, *more);
        } else {
            job::copy_json(writer, value);
        }
    }
    for (const auto [key, value] : *extra.as_object()) {
        if (base.find(key)) continue;
        writer.key(key);
        job::copy_json(writer, value);
    }
    writer.end_object();
}

}  // namespace

Result<std::string> in_one_spelling(ProviderType type, std::string_view object) {
    if (!is_googles(type)) return std::string(object);
    const auto document = json::Document::parse(object);
    if (!document) return document.error();
    if (!document->root().is_object()) return document->root().unexpected("an object");
    std::string out;
    json::Writer writer(out);
    if (copy_in_camel_case(writer, document->root())) return out;
    return Error{ErrorKind::invalid,
                 "found a member in both spellings (as top_k and topK), allowed: one of them"};
}

std::optional<ReservedMember> find_reserved(ProviderType type, json::Value extra) {
    for (const Known& known : members_of(type)) {
        if (const auto path = find_path(extra, known.path))
            return ReservedMember{std::string(*path), known.name};
    }
    return std::nullopt;
}

std::optional<std::string> find_overlap(json::Value one, json::Value other) {
    for (const auto [key, value] : *one.as_object()) {
        const auto same = other.find(key);
        if (!same) continue;
        if (!value.is_object() || !same->is_object()) return std::string(key);
        if (const auto inner = find_overlap(value, *same)) return std::string(key) + "." + *inner;
    }
    return std::nullopt;
}

std::optional<ExtraFault> extra_fault(ProviderType type,
                                      const std::optional<std::string>& extra_body,
                                      const std::optional<job::JsonObject>& extra) {
    if (!extra) return std::nullopt;
    const auto spelt = in_one_spelling(type, extra->text);
    if (!spelt) return ExtraFault{"", spelt.error().message};
    const auto document = json::Document::parse(*spelt);
    if (!document) return ExtraFault{"", document.error().message};
    if (const auto own = find_reserved(type, document->root())) {
        const std::string hint =
            own->name.empty() ? "other members" : fmt::format("{} instead", own->name);
        return ExtraFault{own->path,
                          fmt::format("found {}, which requests have by themselves, allowed: {}",
                                      own->path, hint)};
    }
    const auto theirs = in_one_spelling(type, extra_body.value_or("{}"));
    const auto operators =
        theirs ? json::Document::parse(*theirs) : Result<json::Document>(Error{});
    if (!operators) return std::nullopt;
    const auto both = find_overlap(document->root(), operators->root());
    if (!both) return std::nullopt;
    return ExtraFault{
        *both, fmt::format("found {}, which the provider's extra_body has, allowed: other members",
                           *both)};
}

namespace {

bool continues_last(std::string_view object) {
    const auto document = json::Document::parse(object);
    const auto member = document ? document->root().find("continue_final_message") : std::nullopt;
    const auto continues = member ? member->as_bool() : Result<bool>(false);
    return continues && *continues;
}

}  // namespace

std::optional<std::string> prefill_fault(ProviderType type,
                                         const std::optional<std::string>& extra_body,
                                         const std::optional<job::JsonObject>& extra) {
    if (traits_of(type).has_prefill) return std::nullopt;
    const bool continues =
        (extra_body && continues_last(*extra_body)) || (extra && continues_last(extra->text));
    if (type == ProviderType::openai && continues) return std::nullopt;
    std::string names;
    for (const ProtocolTraits& traits : kProtocols) {
        if (traits.has_prefill) names += (names.empty() ? "" : ", ") + std::string(traits.name);
    }
    return fmt::format(
        "found prefill, which providers of type {} cannot do, allowed: reference, or "
        "a provider of type {}{}",
        traits_of(type).name, names,
        type == ProviderType::openai ? "; of vLLM extra: {continue_final_message: true, "
                                       "add_generation_prompt: false}"
                                     : "");
}

Result<std::string> merge_objects(std::string_view base, std::string_view extra) {
    const auto one = json::Document::parse(base);
    if (!one) return one.error();
    const auto other = json::Document::parse(extra);
    if (!other) return other.error();
    if (!one->root().is_object()) return one->root().unexpected("an object");
    if (!other->root().is_object()) return other->root().unexpected("an object");
    std::string out;
    out.reserve(base.size() + extra.size());
    json::Writer writer(out);
    merge(writer, one->root(), other->root());
    return out;
}

}  // namespace evalfleet::providers
