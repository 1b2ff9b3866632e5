#include "worker/providers/openai_responses.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/parameters.hpp"
#include "worker/providers/responses_reply.hpp"

namespace evalfleet::worker {

namespace {

void write_input(json::Writer& writer, const ModelRequest& request) {
    writer.key("input").begin_array();
    for (const job::Message& message : request.messages) {
        writer.begin_object().member("role", job::to_string(message.role));
        writer.member("content", message.content).end_object();
    }
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
