#include "worker/providers/anthropic_messages.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/anthropic_reply.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/chat_turns.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

using providers::ModelGeneration;

constexpr std::string_view kDefaultVersion = "2023-06-01";

/// A text, of which so many bytes at the beginning are the same in all requests.
struct Text {
    std::string text;
    std::size_t constant = 0;
};

/// All system messages as one text: the protocol has one place for them.
Text join_system(const ModelRequest& request) {
    Text system;
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        if (!job::is_instruction(request.messages[i].role)) continue;
        if (system.text.empty() && i < request.constant_bytes.size())
            system.constant = request.constant_bytes[i];
        if (!system.text.empty()) system.text += "\n\n";
        system.text += request.messages[i].content;
    }
    return system;
}

/// With a cache: the constant part in a block of its own, which says that it is to be kept.
void write_text(json::Writer& writer, const Text& text, const job::GenerationParams& generation) {
    const std::string_view all = text.text;
    const std::size_t constant = std::min(text.constant, all.size());
    if (!generation.prompt_cache || constant == 0) {
        writer.value(all);
        return;
    }
    writer.begin_array().begin_object();
    writer.member("type", "text").member("text", all.substr(0, constant));
    writer.key("cache_control").begin_object().member("type", "ephemeral");
    writer.member("ttl", job::to_string(*generation.prompt_cache)).end_object().end_object();
    if (constant < all.size()) {
        writer.begin_object().member("type", "text").member("text", all.substr(constant));
        writer.end_object();
    }
    writer.end_array();
}

void write_text_block(json::Writer& writer, std::string_view text) {
    writer.begin_object().member("type", "text").member("text", text).end_object();
}

void write_image_block(json::Writer& writer, const job::Image& image) {
    writer.begin_object().member("type", "image").key("source").begin_object();
    writer.member("type", "base64").member("media_type", image.media_type);
    writer.member("data", image.base64).end_object().end_object();
}

void write_tool_result(json::Writer& writer, const job::Message& message) {
    writer.begin_object().member("type", "tool_result");
    writer.member("tool_use_id", *message.tool_call_id);
    writer.member("content", message.content).end_object();
}

void write_blocks(json::Writer& writer, const job::Message& message) {
    if (message.tool_call_id) return write_tool_result(writer, message);
    for (const job::ContentPart& part : message.parts)
        part.image ? write_image_block(writer, *part.image) : write_text_block(writer, part.text);
    if (!message.has_images() && !message.content.empty())
        write_text_block(writer, message.content);
    for (const job::ToolCall& call : message.tool_calls) {
        writer.begin_object().member("type", "tool_use").member("id", call.id);
        writer.member("name", call.name).key("input").raw(call.arguments).end_object();
    }
}

/// A turn of one plain text is a text; anything else is a list of blocks.
void write_turn(json::Writer& writer, const ModelRequest& request, const Turn& turn) {
    const std::size_t first = turn.messages.front();
    const job::Message& message = request.messages[first];
    const bool is_plain = turn.messages.size() == 1 && !message.has_images() &&
                          message.tool_calls.empty() && !message.tool_call_id;
    if (is_plain) {
        const std::size_t constant =
            first < request.constant_bytes.size() ? request.constant_bytes[first] : 0;
        write_text(writer, {message.content, constant}, request.generation);
        return;
    }
    writer.begin_array();
    for (const std::size_t index : turn.messages)
        write_blocks(writer, request.messages[index]);
    writer.end_array();
}

void write_messages(json::Writer& writer, const ModelRequest& request) {
    if (const Text system = join_system(request); !system.text.empty()) {
        writer.key("system");
        write_text(writer, system, request.generation);
    }
    writer.key("messages").begin_array();
    for (const Turn& turn : turns_of(request)) {
        writer.begin_object().member("role", turn.is_assistant ? "assistant" : "user");
        writer.key("content");
        write_turn(writer, request, turn);
        writer.end_object();
    }
    writer.end_array();
}

/// Of the two only one may be sent; which one is meant shows where the other has its default.
void write_one_of_both(ParameterWriter& parameters, const job::GenerationParams& generation) {
    if (generation.temperature == 1 && generation.top_p != 1) {
        parameters.no_temperature();
        parameters.top_p("top_p");
        return;
    }
    parameters.temperature("temperature");
    parameters.no_top_p();
}

/// There is JSON of a schema only.
void write_output_config(json::Writer& writer, ParameterWriter& parameters) {
    const auto* format = parameters.response_format();
    if (format != nullptr && format->json_schema.empty()) {
        parameters.no_response_format();
        format = nullptr;
    }
    const auto* effort = parameters.reasoning_effort();
    if (format == nullptr && effort == nullptr) return;
    writer.key("output_config").begin_object();
    if (effort != nullptr) writer.member("effort", *effort);
    if (format != nullptr) {
        writer.key("format").begin_object().member("type", "json_schema");
        writer.key("schema").raw(format->json_schema).end_object();
    }
    writer.end_object();
}

void write_thinking(json::Writer& writer, ParameterWriter& parameters) {
    const auto budget = parameters.thinking_budget();
    if (!budget) return;
    writer.key("thinking").begin_object();
    writer.member("type", *budget == 0 ? "disabled" : "enabled");
    if (*budget > 0) writer.member("budget_tokens", *budget);
    writer.end_object();
}

void write_parameters(json::Writer& writer, bool takes_sampling, std::string_view model,
                      const ModelRequest& request, std::vector<std::string>& refused) {
    writer.member("max_tokens", request.generation.max_tokens);
    ParameterWriter parameters(writer, request, refused);
    const auto generation = providers::claude_generation(model);
    const bool is_fixed =
        !takes_sampling || (generation && *generation > ModelGeneration{4, 6}) ||
        request.generation.thinking_budget.value_or(0) > 0;  // who thinks samples at 1
    if (is_fixed) parameters.fix_sampling();
    if (!is_fixed && generation && *generation >= ModelGeneration{4, 1}) {
        write_one_of_both(parameters, request.generation);
    } else {
        parameters.temperature("temperature");
        parameters.top_p("top_p");
    }
    parameters.no_seed();
    parameters.stop("stop_sequences");
    write_thinking(writer, parameters);
    write_output_config(writer, parameters);
}

}  // namespace

WireRequest AnthropicMessages::make_request(const Endpoint& endpoint,
                                            const ModelRequest& request) const {
    const std::string model = providers::wire_model_name(providers::ProviderType::anthropic,
                                                         request.model, request.version);
    const std::string api_version = endpoint.api_version.value_or(std::string(kDefaultVersion));
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = extend(endpoint.base_url, "/v1", "/messages");
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    wire.http.headers.add("anthropic-version", api_version);
    json::Writer writer(wire.http.body);
    writer.begin_object().member("model", model);
    write_anthropic_members(writer, api_version == kDefaultVersion, model, request,
                            wire.refused_parameters);
    writer.end_object();
    return wire;
}

void write_anthropic_members(json::Writer& writer, bool takes_sampling, std::string_view model,
                             const ModelRequest& request, std::vector<std::string>& refused) {
    write_messages(writer, request);
    write_parameters(writer, takes_sampling, model, request, refused);
    writer.member("stream", request.stream);
}

Result<ModelReply> AnthropicMessages::read_reply(const http::Headers& headers,
                                                 std::string_view body) const {
    return read_anthropic_reply(headers, body);
}

std::unique_ptr<StreamReader> AnthropicMessages::read_stream(const http::Headers& headers) const {
    return read_anthropic_stream(headers);
}

Refusal AnthropicMessages::read_refusal(int status, const http::Headers& headers,
                                        std::string_view body,
                                        std::chrono::system_clock::time_point now) const {
    Refusal refusal = read_refusal_body(status, headers, body, now).refusal;
    refusal.request_id = short_header(headers, "request-id");
    return refusal;
}

}  // namespace evalfleet::worker
