#include "worker/providers/openai_responses.hpp"

#include "common/job/image.hpp"
#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/responses_reply.hpp"

namespace evalfleet::worker {

namespace {

void write_parts(json::Writer& writer, const job::Message& message) {
    writer.begin_array();
    for (const job::ContentPart& part : message.parts) {
        writer.begin_object();
        if (part.image) {
            writer.member("type", "input_image").member("image_url", job::image_url(*part.image));
            if (part.image->detail) writer.member("detail", *part.image->detail);
        } else {
            writer.member("type", "input_text").member("text", part.text);
        }
        writer.end_object();
    }
    writer.end_array();
}

/// What a tool gave is an item of its own here, and so is a call of one.
void write_tool_output(json::Writer& writer, const job::Message& message) {
    writer.begin_object().member("type", "function_call_output");
    writer.member("call_id", *message.tool_call_id).member("output", message.content).end_object();
}

void write_tool_calls(json::Writer& writer, const job::Message& message) {
    for (const job::ToolCall& call : message.tool_calls) {
        writer.begin_object().member("type", "function_call").member("call_id", call.id);
        writer.member("name", call.name).member("arguments", call.arguments).end_object();
    }
}

void write_message(json::Writer& writer, const job::Message& message) {
    if (message.tool_call_id) return write_tool_output(writer, message);
    const bool only_calls = message.content.empty() && !message.tool_calls.empty();
    if (!only_calls) {
        // There is no role for what a tool gave without having been called.
        const bool is_tool = message.role == job::MessageRole::tool;
        writer.begin_object().member("role", is_tool ? "user" : job::to_string(message.role));
        writer.key("content");
        message.has_images() ? write_parts(writer, message)
                             : static_cast<void>(writer.value(message.content));
        writer.end_object();
    }
    write_tool_calls(writer, message);
}

void write_input(json::Writer& writer, const ModelRequest& request) {
    writer.key("input").begin_array();
    for (const job::Message& message : request.messages)
        write_message(writer, message);
    writer.end_array();
}

void write_format(json::Writer& writer, const job::ResponseFormat& format) {
    writer.key("text").begin_object().key("format").begin_object();
    if (format.json_schema.empty()) {
        writer.member("type", "json_object");
    } else {
        writer.member("type", "json_schema").member("name", "answer");
        writer.key("schema").raw(format.json_schema);
        writer.member("strict", true);
    }
    writer.end_object().end_object();
}

void write_parameters(json::Writer& writer, std::string_view model, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    ParameterWriter parameters(writer, request, refused);
    const bool reasons = request.generation.reasoning_effort != "none";
    if (has_fixed_openai_sampling(model) && reasons) parameters.fix_sampling();
    parameters.temperature("temperature");
    parameters.top_p("top_p");
    writer.member("max_output_tokens", request.generation.max_tokens);
    if (const auto* format = parameters.response_format()) write_format(writer, *format);
    if (const auto* effort = parameters.reasoning_effort())
        writer.key("reasoning").begin_object().member("effort", *effort).end_object();
    parameters.no_seed();
    parameters.no_stop();
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
}

}  // namespace

WireRequest OpenAiResponses::make_request(const Endpoint& endpoint,
                                          const ModelRequest& request) const {
    const std::string model = providers::wire_model_name(providers::ProviderType::openai_responses,
                                                         request.model, request.version);
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = endpoint.base_url.with_path_appended("/responses");
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object().member("model", model);
    write_input(writer, request);
    write_parameters(writer, model, request, wire.refused_parameters);
    writer.member("store", false).member("stream", request.stream).end_object();
    return wire;
}

Result<ModelReply> OpenAiResponses::read_reply(const http::Headers& headers,
                                               std::string_view body) const {
    return read_responses_reply(headers, body);
}

std::unique_ptr<StreamReader> OpenAiResponses::read_stream(const http::Headers& headers) const {
    return read_responses_stream(headers);
}

Refusal OpenAiResponses::read_refusal(int status, const http::Headers& headers,
                                      std::string_view body,
                                      std::chrono::system_clock::time_point now) const {
    return read_openai_refusal(status, headers, body, now);
}

}  // namespace evalfleet::worker
