#include "worker/providers/gemini_content.hpp"

#include "common/http/percent.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/chat_turns.hpp"
#include "worker/providers/gemini_reply.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

namespace evalfleet::worker {

namespace {

using providers::ModelGeneration;

http::Url content_url(const http::Url& base, std::string_view model, bool stream) {
    const std::string path = "/models/" + http::percent_encode(model) +
                             (stream ? ":streamGenerateContent" : ":generateContent");
    http::Url url =
        path_ends_with(base, "/v1") ? base.with_path_appended(path) : extend(base, "/v1beta", path);
    if (stream) url.target += url.target.find('?') == std::string::npos ? "?alt=sse" : "&alt=sse";
    return url;
}

void write_text(json::Writer& writer, std::string_view text) {
    writer.begin_object().member("text", text).end_object();
}

void write_image(json::Writer& writer, const job::Image& image) {
    writer.begin_object().key("inlineData").begin_object();
    writer.member("mimeType", image.media_type).member("data", image.base64);
    writer.end_object().end_object();
}

/// What a function gave is known by the function's name here, and is an object.
void write_tool_result(json::Writer& writer, const job::Message& message,
                       const job::ToolCall& call) {
    writer.begin_object().key("functionResponse").begin_object().member("name", call.name);
    writer.key("response").begin_object().member("result", message.content);
    writer.end_object().end_object().end_object();
}

void write_parts(json::Writer& writer, const ModelRequest& request, std::size_t index) {
    const job::Message& message = request.messages[index];
    if (const auto* call = job::find_answered_call(request.messages, index))
        return write_tool_result(writer, message, *call);
    for (const job::ContentPart& part : message.parts)
        part.image ? write_image(writer, *part.image) : write_text(writer, part.text);
    if (!message.has_images() && (!message.content.empty() || message.tool_calls.empty()))
        write_text(writer, message.content);
    for (const job::ToolCall& call : message.tool_calls) {
        writer.begin_object().key("functionCall").begin_object().member("name", call.name);
        writer.key("args").raw(call.arguments).end_object().end_object();
    }
}

void write_messages(json::Writer& writer, const ModelRequest& request) {
    writer.key("contents").begin_array();
    for (const Turn& turn : turns_of(request)) {
        writer.begin_object().member("role", turn.is_assistant ? "model" : "user");
        writer.key("parts").begin_array();
        for (const std::size_t index : turn.messages)
            write_parts(writer, request, index);
        writer.end_array().end_object();
    }
    writer.end_array();
    const std::string system = join_instructions(request);
    if (system.empty()) return;
    writer.key("systemInstruction").begin_object().key("parts").begin_array();
    write_text(writer, system);
    writer.end_array().end_object();
}

bool has_fixed_sampling(std::string_view model) {
    const auto generation = providers::gemini_generation(model);
    if (!generation) return false;
    const bool is_lite = model.find("flash-lite") != std::string_view::npos;
    return *generation >= (is_lite ? ModelGeneration{3, 5} : ModelGeneration{3, 6});
}

void write_thinking(json::Writer& writer, ParameterWriter& parameters) {
    const auto* effort = parameters.reasoning_effort();
    const auto budget = parameters.thinking_budget();
    if (effort == nullptr && !budget) return;
    writer.key("thinkingConfig").begin_object();
    if (effort != nullptr) writer.member("thinkingLevel", *effort);
    if (budget) writer.member("thinkingBudget", *budget);
    writer.end_object();
}

void write_parameters(json::Writer& writer, std::string_view model, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    writer.key("generationConfig").begin_object();
    ParameterWriter parameters(writer, request, refused);
    if (has_fixed_sampling(model)) parameters.fix_sampling();
    parameters.temperature("temperature");
    parameters.top_p("topP");
    writer.member("maxOutputTokens", request.generation.max_tokens);
    parameters.seed("seed");
    parameters.stop("stopSequences");
    if (const auto* format = parameters.response_format()) {
        writer.member("responseMimeType", "application/json");
        if (!format->json_schema.empty()) writer.key("responseJsonSchema").raw(format->json_schema);
    }
    write_thinking(writer, parameters);
    parameters.no_prompt_cache();
    writer.end_object();
}

}  // namespace

WireRequest GeminiContent::make_request(const Endpoint& endpoint,
                                        const ModelRequest& request) const {
    const std::string model =
        providers::wire_model_name(providers::ProviderType::gemini, request.model, request.version);
    return make_gemini_request(content_url(endpoint.base_url, model, request.stream), model,
                               request);
}

WireRequest make_gemini_request(http::Url url, std::string_view model,
                                const ModelRequest& request) {
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = std::move(url);
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object();
    write_messages(writer, request);
    write_parameters(writer, model, request, wire.refused_parameters);
    writer.end_object();
    return wire;
}

Result<ModelReply> GeminiContent::read_reply(const http::Headers& headers,
                                             std::string_view body) const {
    return read_gemini_reply(headers, body);
}

std::unique_ptr<StreamReader> GeminiContent::read_stream(const http::Headers& headers) const {
    return read_gemini_stream(headers);
}

Refusal GeminiContent::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                    std::chrono::system_clock::time_point now) const {
    Refusal refusal = read_refusal_body(status, headers, body, now).refusal;
    const auto document = parse_body(body);
    if (document) read_gemini_details(document->root(), refusal);
    return refusal;
}

}  // namespace evalfleet::worker
