#include "worker/providers/anthropic_messages.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/anthropic_reply.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/wire_error.hpp"
#include "worker/providers/wire_text.hpp"

namespace evalfleet::worker {

namespace {

using providers::ModelGeneration;

constexpr std::string_view kDefaultVersion = "2023-06-01";

/// All system messages as one text: the protocol has one place for them.
std::string join_system(const std::vector<job::Message>& messages) {
    std::string text;
    for (const job::Message& message : messages) {
        if (message.role != job::MessageRole::system) continue;
        if (!text.empty()) text += "\n\n";
        text += message.content;
    }
    return text;
}

void write_messages(json::Writer& writer, const ModelRequest& request) {
    if (const std::string system = join_system(request.messages); !system.empty()) {
        writer.member("system", system);
    }
    writer.key("messages").begin_array();
    for (const job::Message& message : request.messages) {
        if (message.role == job::MessageRole::system) continue;
        writer.begin_object()
            .member("role", job::to_string(message.role))
            .member("content", message.content)
            .end_object();
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
    if (format == nullptr) return;
    if (format->json_schema.empty()) return parameters.no_response_format();
    writer.key("output_config").begin_object().key("format").begin_object();
    writer.member("type", "json_schema").key("schema").raw(format->json_schema);
    writer.end_object().end_object();
}

void write_parameters(json::Writer& writer, std::string_view api_version, std::string_view model,
                      const ModelRequest& request, std::vector<std::string>& refused) {
    writer.member("max_tokens", request.generation.max_tokens);
    ParameterWriter parameters(writer, request, refused);
    const auto generation = providers::claude_generation(model);
    const bool is_fixed =
        api_version != kDefaultVersion || (generation && *generation > ModelGeneration{4, 6});
    if (is_fixed) parameters.fix_sampling();
    if (!is_fixed && generation && *generation >= ModelGeneration{4, 1}) {
        write_one_of_both(parameters, request.generation);
    } else {
        parameters.temperature("temperature");
        parameters.top_p("top_p");
    }
    parameters.no_seed();
    parameters.stop("stop_sequences");
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
    if (!endpoint.api_key.empty()) wire.http.headers.add("x-api-key", endpoint.api_key);
    json::Writer writer(wire.http.body);
    writer.begin_object().member("model", model);
    write_messages(writer, request);
    write_parameters(writer, api_version, model, request, wire.refused_parameters);
    writer.member("stream", request.stream);
    writer.end_object();
    return wire;
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
    auto [refusal, error] = read_refusal_body(status, headers, body, now);
    refusal.request_id = short_header(headers, "request-id");
    if (error) refusal.refused_parameter = find_refused_parameter(status, *error);
    return refusal;
}

}  // namespace evalfleet::worker
