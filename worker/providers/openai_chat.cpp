#include "worker/providers/openai_chat.hpp"

#include "common/providers/model_names.hpp"
#include "worker/providers/openai_wire.hpp"

namespace evalfleet::worker {

WireRequest OpenAiChat::make_request(const Endpoint& endpoint, const ModelRequest& request) const {
    return make_openai_request(
        endpoint.base_url.with_path_appended("/chat/completions"),
        providers::wire_model_name(providers::ProviderType::openai, request.model, request.version),
        request);
}

Result<ModelReply> OpenAiChat::read_reply(const http::Headers& headers,
                                          std::string_view body) const {
    return read_openai_reply(headers, body);
}

std::unique_ptr<StreamReader> OpenAiChat::read_stream(const http::Headers& headers) const {
    return read_openai_stream(headers);
}

Refusal OpenAiChat::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                 std::chrono::system_clock::time_point now) const {
    return read_openai_refusal(status, headers, body, now);
}

}  // namespace evalfleet::worker
