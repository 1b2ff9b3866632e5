#include "worker/providers/openai_completions.hpp"

#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/parameters.hpp"

namespace evalfleet::worker {

namespace {

std::string join_messages(const ModelRequest& request) {
    std::string prompt;
    for (const job::Message& message : request.messages) {
        if (&message != &request.messages.front()) prompt += "\n\n";
        prompt += message.content;
    }
    return prompt;
}

void write_parameters(json::Writer& writer, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    ParameterWriter parameters(writer, request, refused);
    parameters.temperature("temperature");
    parameters.top_p("top_p");
    writer.member("max_tokens", request.generation.max_tokens);
    parameters.seed("seed");
    parameters.stop("stop");
    if (const auto* format = parameters.response_format())
        write_openai_response_format(writer, *format);
    parameters.no_reasoning_effort();
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
}

}  // namespace

WireRequest OpenAiCompletions::make_request(const Endpoint& endpoint,
                                            const ModelRequest& request) const {
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = endpoint.base_url.with_path_appended("/completions");
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object().member(
        "model", providers::wire_model_name(providers::ProviderType::openai_completions,
                                            request.model, request.version));
    writer.member("prompt", join_messages(request));
    write_parameters(writer, request, wire.refused_parameters);
    writer.member("stream", request.stream);
    ParameterWriter(writer, request, wire.refused_parameters).usage_of_stream();
    writer.end_object();
    return wire;
}

}  // namespace evalfleet::worker
