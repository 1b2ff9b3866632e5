#include "coordinator/views/curl_command.hpp"

#include "common/http/percent.hpp"
#include "common/json/writer.hpp"

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

void write_messages(json::Writer& writer, const CurlCall& call, bool with_system) {
    writer.key("messages").begin_array();
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

void write_anthropic(json::Writer& writer, const CurlCall& call) {
    writer.member("model", call.model);
    writer.member("max_tokens", call.params.max_tokens.value_or(1024));
    if (const std::string system = system_of(call); !system.empty())
        writer.member("system", system);
    write_messages(writer, call, false);
    write_known(writer, "temperature", call.params.temperature);
    write_known(writer, "top_p", call.params.top_p);
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

std::string body_of(const CurlCall& call) {
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    switch (call.type) {
        case ProviderType::openai:
        case ProviderType::azure_openai:
            write_openai(writer, call);
            break;
        case ProviderType::anthropic:
            write_anthropic(writer, call);
            break;
        case ProviderType::gemini:
            write_gemini(writer, call);
            break;
        case ProviderType::ollama:
            write_ollama(writer, call);
            break;
    }
    writer.end_object();
    return body;
}

// As the workers extend it: what the operator wrote may hold the version already.
std::string extend(const std::string& base, std::string_view version, const std::string& path) {
    return base.ends_with(version) ? base + path : base + std::string(version) + path;
}

std::string address_of(const CurlCall& call) {
    const std::string model = http::percent_encode(call.model);
    switch (call.type) {
        case ProviderType::openai:
            break;
        case ProviderType::azure_openai:
            if (call.base_url.ends_with("/openai/v1")) break;
            return extend(call.base_url, "/openai", "/deployments/" + model + "/chat/completions") +
                   "?api-version=" + call.api_version;
        case ProviderType::anthropic:
            return extend(call.base_url, "/v1", "/messages");
        case ProviderType::gemini:
            return (call.base_url.ends_with("/v1") ? call.base_url
                                                   : extend(call.base_url, "/v1beta", "")) +
                   "/models/" + model + ":generateContent";
        case ProviderType::ollama:
            return extend(call.base_url, "/api", "/chat");
    }
    return call.base_url + "/chat/completions";
}

std::string_view key_header(ProviderType type) {
    switch (type) {
        case ProviderType::azure_openai:
            return "api-key: ";
        case ProviderType::anthropic:
            return "x-api-key: ";
        case ProviderType::gemini:
            return "x-goog-api-key: ";
        case ProviderType::openai:
        case ProviderType::ollama:
            break;
    }
    return "Authorization: Bearer ";
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
    std::string command = "curl " + shell_quote(address_of(call));
    command += " \\\n  -H 'Content-Type: application/json'";
    if (call.type == ProviderType::anthropic)
        command += " \\\n  -H " +
                   shell_quote("anthropic-version: " +
                               (call.api_version.empty() ? "2023-06-01" : call.api_version));
    // Names of variables have been checked; the shell puts the key in.
    if (!call.key_variable.empty())
        command +=
            " \\\n  -H \"" + std::string(key_header(call.type)) + "$" + call.key_variable + "\"";
    return command + " \\\n  -d " + shell_quote(body_of(call));
}

}  // namespace evalfleet::views
