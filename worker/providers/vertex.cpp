#include "worker/providers/vertex.hpp"

#include "common/http/percent.hpp"
#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"

namespace evalfleet::worker {

namespace {

constexpr std::string_view kVersion = "vertex-2023-10-16";

/// An at sign stays as it is: Google's own clients send it so.
std::string model_path(std::string_view publisher, std::string_view model,
                       std::string_view method) {
    std::string name;
    for (std::size_t at = model.find('@'); at != std::string_view::npos; at = model.find('@')) {
        name += http::percent_encode(model.substr(0, at)) + "@";
        model.remove_prefix(at + 1);
    }
    name += http::percent_encode(model);
    std::string path = "/publishers/";
    return path.append(publisher).append("/models/").append(name).append(":").append(method);
}

}  // namespace

WireRequest VertexGemini::make_request(const Endpoint& endpoint,
                                       const ModelRequest& request) const {
    const std::string model = providers::wire_model_name(providers::ProviderType::vertex_gemini,
                                                         request.model, request.version);
    const char* method = request.stream ? "streamGenerateContent" : "generateContent";
    http::Url url = endpoint.base_url.with_path_appended(model_path("google", model, method));
    if (request.stream)
        url.target += url.target.find('?') == std::string::npos ? "?alt=sse" : "&alt=sse";
    return make_gemini_request(std::move(url), model, request);
}

WireRequest VertexAnthropic::make_request(const Endpoint& endpoint,
                                          const ModelRequest& request) const {
    const std::string model = providers::wire_model_name(providers::ProviderType::vertex_anthropic,
                                                         request.model, request.version);
    const char* method = request.stream ? "streamRawPredict" : "rawPredict";
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = endpoint.base_url.with_path_appended(model_path("anthropic", model, method));
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object();
    writer.member("anthropic_version", endpoint.api_version.value_or(std::string(kVersion)));
    write_anthropic_members(writer, true, model, request, wire.refused_parameters);
    writer.end_object();
    return wire;
}

}  // namespace evalfleet::worker
