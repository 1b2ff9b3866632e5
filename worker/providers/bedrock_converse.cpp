#include "worker/providers/bedrock_converse.hpp"

#include "common/http/percent.hpp"
#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/bedrock_reply.hpp"
#include "worker/providers/parameters.hpp"

namespace evalfleet::worker {

namespace {

using providers::ModelGeneration;

void write_text(json::Writer& writer, std::string_view text) {
    writer.begin_array().begin_object().member("text", text).end_object().end_array();
}

void write_messages(json::Writer& writer, const ModelRequest& request) {
    std::string system;
    writer.key("messages").begin_array();
    for (const job::Message& message : request.messages) {
        if (message.role == job::MessageRole::system) {
            system += (system.empty() ? "" : "\n\n") + message.content;
            continue;
        }
        writer.begin_object().member("role", job::to_string(message.role)).key("content");
        write_text(writer, message.content);
        writer.end_object();
    }
    writer.end_array();
    if (system.empty()) return;
    writer.key("system");
    write_text(writer, system);
}

/// Anthropic's models have the limits that they have elsewhere.
void write_sampling(ParameterWriter& parameters, const ModelRequest& request) {
    const auto claude = providers::claude_generation(request.model);
    if (claude && *claude > ModelGeneration{4, 6}) parameters.fix_sampling();
    const bool only_one =
        claude && *claude >= ModelGeneration{4, 1} && *claude <= ModelGeneration{4, 6};
    const bool means_top_p = request.generation.temperature == 1 && request.generation.top_p != 1;
    only_one&& means_top_p ? parameters.no_temperature() : parameters.temperature("temperature");
    only_one && !means_top_p ? parameters.no_top_p() : parameters.top_p("topP");
}

void write_parameters(json::Writer& writer, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    writer.key("inferenceConfig").begin_object();
    ParameterWriter parameters(writer, request, refused);
    writer.member("maxTokens", request.generation.max_tokens);
    write_sampling(parameters, request);
    parameters.stop("stopSequences");
    parameters.no_seed();
    if (request.generation.response_format) parameters.no_response_format();
    parameters.no_reasoning_effort();
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
    writer.end_object();
}

}  // namespace

WireRequest BedrockConverse::make_request(const Endpoint& endpoint,
                                          const ModelRequest& request) const {
    const std::string model = providers::wire_model_name(providers::ProviderType::bedrock,
                                                         request.model, request.version);
    const std::string path = "/model/" + http::percent_encode(model) +
                             (request.stream ? "/converse-stream" : "/converse");
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = endpoint.base_url.with_path_appended(path);
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add(
        "Accept", request.stream ? "application/vnd.amazon.eventstream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object();
    write_messages(writer, request);
    write_parameters(writer, request, wire.refused_parameters);
    writer.end_object();
    return wire;
}

Result<ModelReply> BedrockConverse::read_reply(const http::Headers& headers,
                                               std::string_view body) const {
    return read_bedrock_reply(headers, body);
}

std::unique_ptr<StreamReader> BedrockConverse::read_stream(const http::Headers& headers) const {
    return read_bedrock_stream(headers);
}

Refusal BedrockConverse::read_refusal(int status, const http::Headers& headers,
                                      std::string_view body,
                                      std::chrono::system_clock::time_point now) const {
    return read_bedrock_refusal(status, headers, body, now);
}

}  // namespace evalfleet::worker
