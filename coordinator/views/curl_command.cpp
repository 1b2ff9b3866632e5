#include "coordinator/views/curl_command.hpp"

#include "common/http/percent.hpp"
#include "common/json/writer.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::views {

namespace {

using job::MessageRole;
using providers::ProviderType;

std::string system_of(const CurlCall& call) {
    for (const job::Message& message : call.messages)
        if (message.role == MessageRole::system) return message.content;
    return {};
}

template <class T>
void write_known(json::Writer& writer, std::string_view name, const std::optional<T>& value) {
    if (value) writer.member(name, *value);
}

void write_messages(json::Writer& writer, const CurlCall& call, bool with_system,
                    std::string_view name = "messages") {
    writer.key(name).begin_array();
    for (const job::Message& message : call.messages) {
        if (!with_system && message.role == MessageRole::system) continue;
        writer.begin_object()
            .member("role", to_string(message.role))
            .member("content", message.content)
            .end_object();
    }
    writer.end_array();
}

void write_openai(json::Writer& writer, const CurlCall& call) {
    writer.member("model", call.model);
    write_messages(writer, call, true);
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
    write_known(writer, "max_tokens", call.params.max_tokens);
    write_known(writer, "seed", call.params.seed);
    write_known(writer, "reasoning_effort", call.params.reasoning_effort);
}

void write_anthropic_members(json::Writer& writer, const CurlCall& call) {
    writer.member("max_tokens", call.params.max_tokens.value_or(1024));
    if (const std::string system = system_of(call); !system.empty())
        writer.member("system", system);
    write_messages(writer, call, false);
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
}

void write_anthropic(json::Writer& writer, const CurlCall& call) {
    writer.member("model", call.model);
    write_anthropic_members(writer, call);
}

void write_part(json::Writer& writer, const std::string& text) {
    writer.key("parts").begin_array().begin_object().member("text", text).end_object().end_array();
}

void write_gemini(json::Writer& writer, const CurlCall& call) {
    if (const std::string system = system_of(call); !system.empty()) {
        writer.key("systemInstruction").begin_object();
        write_part(writer, system);
        writer.end_object();
    }
    writer.key("contents").begin_array();
    for (const job::Message& message : call.messages) {
        if (message.role == MessageRole::system) continue;
        writer.begin_object().member("role",
                                     message.role == MessageRole::assistant ? "model" : "user");
        write_part(writer, message.content);
        writer.end_object();
    }
    writer.end_array().key("generationConfig").begin_object();
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "topP", call.params.top_p);
    write_known(writer, "maxOutputTokens", call.params.max_tokens);
    write_known(writer, "seed", call.params.seed);
    writer.end_object();
}

void write_ollama(json::Writer& writer, const CurlCall& call) {
    writer.member("model", call.model).member("stream", false);
    write_messages(writer, call, true);
    writer.key("options").begin_object();
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
    write_known(writer, "num_predict", call.params.max_tokens);
    write_known(writer, "seed", call.params.seed);
    writer.end_object();
}

void write_responses(json::Writer& writer, const CurlCall& call) {
    writer.member("model", call.model);
    write_messages(writer, call, true, "input");
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
    write_known(writer, "max_output_tokens", call.params.max_tokens);
    writer.member("store", false);
}

void write_completions(json::Writer& writer, const CurlCall& call) {
    std::string prompt;
    for (const job::Message& message : call.messages)
        prompt += (&message == &call.messages.front() ? "" : "\n\n") + message.content;
    writer.member("model", call.model).member("prompt", prompt);
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
    write_known(writer, "max_tokens", call.params.max_tokens);
    write_known(writer, "seed", call.params.seed);
}

void write_bedrock(json::Writer& writer, const CurlCall& call) {
    const auto write_text = [&writer](const std::string& text) {
        writer.begin_array().begin_object().member("text", text).end_object().end_array();
    };
    writer.key("messages").begin_array();
    for (const job::Message& message : call.messages) {
        if (message.role == MessageRole::system) continue;
        writer.begin_object().member("role", to_string(message.role)).key("content");
        write_text(message.content);
        writer.end_object();
    }
    writer.end_array();
    if (const std::string system = system_of(call); !system.empty()) {
        writer.key("system");
        write_text(system);
    }
    writer.key("inferenceConfig").begin_object();
    write_known(writer, "maxTokens", call.params.max_tokens);
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "topP", call.params.top_p);
    writer.end_object();
}

void write_vertex_anthropic(json::Writer& writer, const CurlCall& call) {
    writer.member("anthropic_version",
                  call.api_version.empty() ? "vertex-2023-10-16" : call.api_version);
    write_anthropic_members(writer, call);
}

// As the workers extend it: what the operator wrote may hold the version already.
std::string extend(const std::string& base, std::string_view version, const std::string& path) {
    return base.ends_with(version) ? base + path : base + std::string(version) + path;
}

std::string openai_address(const CurlCall& call) {
    return call.base_url + "/chat/completions";
}

std::string azure_address(const CurlCall& call) {
    if (call.base_url.ends_with("/openai/v1")) return openai_address(call);
    const std::string path =
        "/deployments/" + http::percent_encode(call.model) + "/chat/completions";
    return extend(call.base_url, "/openai", path) + "?api-version=" + call.api_version;
}

std::string gemini_address(const CurlCall& call) {
    const bool has_version = call.base_url.ends_with("/v1");
    return (has_version ? call.base_url : extend(call.base_url, "/v1beta", "")) + "/models/" +
           http::percent_encode(call.model) + ":generateContent";
}

/// How a protocol is spoken by hand; as workers do, in worker/providers.
struct Dialect {
    ProviderType type;
    void (*write_body)(json::Writer&, const CurlCall&);
    std::string (*address)(const CurlCall&);
};

constexpr std::array kDialects{
    Dialect{ProviderType::openai, write_openai, openai_address},
    Dialect{ProviderType::azure_openai, write_openai, azure_address},
    Dialect{ProviderType::anthropic, write_anthropic,
            [](const CurlCall& call) { return extend(call.base_url, "/v1", "/messages"); }},
    Dialect{ProviderType::gemini, write_gemini, gemini_address},
    Dialect{ProviderType::ollama, write_ollama,
            [](const CurlCall& call) { return extend(call.base_url, "/api", "/chat"); }},
    Dialect{ProviderType::openai_responses, write_responses,
            [](const CurlCall& call) { return call.base_url + "/responses"; }},
    Dialect{ProviderType::openai_completions, write_completions,
            [](const CurlCall& call) { return call.base_url + "/completions"; }},
    Dialect{ProviderType::bedrock, write_bedrock,
            [](const CurlCall& call) {
                return call.base_url + "/model/" + http::percent_encode(call.model) + "/converse";
            }},
    Dialect{ProviderType::vertex_gemini, write_gemini,
            [](const CurlCall& call) {
                return call.base_url + "/publishers/google/models/" + call.model +
                       ":generateContent";
            }},
    Dialect{ProviderType::vertex_anthropic, write_vertex_anthropic,
            [](const CurlCall& call) {
                return call.base_url + "/publishers/anthropic/models/" + call.model + ":rawPredict";
            }},
};

const Dialect* dialect_of(ProviderType type) {
    const auto found = std::find_if(kDialects.begin(), kDialects.end(),
                                    [type](const Dialect& one) { return one.type == type; });
    return found == kDialects.end() ? nullptr : &*found;
}

std::string body_of(const Dialect& dialect, const CurlCall& call) {
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    dialect.write_body(writer, call);
    writer.end_object();
    return body;
}

/// The shell puts the key in; names of variables have been checked.
std::string key_header(const CurlCall& call) {
    const providers::ProtocolTraits& traits = providers::traits_of(call.type);
    // Without a key of its own it takes a token.
    const bool takes_key = !traits.key_header.empty();
    const std::string name(takes_key ? traits.key_header : "Authorization");
    const std::string prefix(takes_key ? traits.key_prefix : "Bearer ");
    return "\"" + name + ": " + prefix + "$" + call.key_variable + "\"";
}

}  // namespace

std::string shell_quote(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string curl_command(const CurlCall& call) {
    const Dialect* dialect = dialect_of(call.type);
    if (dialect == nullptr) return {};
    std::string command = "curl " + shell_quote(dialect->address(call));
    command += " \\\n  -H 'Content-Type: application/json'";
    if (call.type == ProviderType::anthropic)
        command += " \\\n  -H " +
                   shell_quote("anthropic-version: " +
                               (call.api_version.empty() ? "2023-06-01" : call.api_version));
    if (!call.key_variable.empty()) command += " \\\n  -H " + key_header(call);
    return command + " \\\n  -d " + shell_quote(body_of(*dialect, call));
}

}  // namespace evalfleet::views
