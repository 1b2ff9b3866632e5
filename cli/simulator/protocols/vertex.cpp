#include "cli/simulator/protocols/vertex.hpp"

#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

std::string_view VertexGemini::key(const http::RequestContext& request) const {
    const std::string_view token = bearer_key(request);
    return token.empty() ? Gemini::key(request) : token;
}

int VertexGemini::status_of(FailureKind kind) const {
    return Protocol::status_of(kind);
}

Result<ChatRequest> VertexAnthropic::read(const http::RequestContext& request,
                                          json::Value body) const {
    const std::string_view call = request.parameter("call");
    const std::size_t colon = call.rfind(':');
    const std::string_view method = colon == std::string_view::npos ? "" : call.substr(colon + 1);
    if (method != "rawPredict" && method != "streamRawPredict")
        return Error{ErrorKind::not_found, fmt::format("no method '{}'", method)};
    const auto version = body.get<std::string_view>("anthropic_version");
    if (!version) return version.error();
    if (body.find("model"))
        return Error{ErrorKind::invalid, "model: Extra inputs are not permitted"};
    return read_anthropic_chat(std::string(call.substr(0, colon)), body);
}

std::string_view VertexAnthropic::key(const http::RequestContext& request) const {
    return bearer_key(request);
}

}  // namespace evalfleet::simulator
