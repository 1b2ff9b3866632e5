#include "worker/providers/azure_openai.hpp"

#include "common/http/percent.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/openai_wire.hpp"

namespace evalfleet::worker {

namespace {

constexpr std::string_view kDefaultApiVersion = "2024-10-21";

http::Url chat_url(const Endpoint& endpoint, std::string_view deployment) {
    const http::Url& base = endpoint.base_url;
    if (path_ends_with(base, "/openai/v1")) return base.with_path_appended("/chat/completions");
    http::Url url = extend(
        base, "/openai", "/deployments/" + http::percent_encode(deployment) + "/chat/completions");
    if (url.target.find("api-version=") == std::string::npos) {
        url.target += url.target.find('?') == std::string::npos ? '?' : '&';
        url.target += "api-version=";
        url.target +=
            http::percent_encode(endpoint.api_version.value_or(std::string(kDefaultApiVersion)));
    }
    return url;
}

}  // namespace

WireRequest AzureOpenAi::make_request(const Endpoint& endpoint, const ModelRequest& request) const {
    return make_openai_request(chat_url(endpoint, request.model), request.model, request);
}

Result<ModelReply> AzureOpenAi::read_reply(const http::Headers& headers,
                                           std::string_view body) const {
    return read_openai_reply(headers, body);
}

std::unique_ptr<StreamReader> AzureOpenAi::read_stream(const http::Headers& headers) const {
    return read_openai_stream(headers);
}

Refusal AzureOpenAi::read_refusal(int status, const http::Headers& headers, std::string_view body,
                                  std::chrono::system_clock::time_point now) const {
    return read_openai_refusal(status, headers, body, now);
}

}  // namespace evalfleet::worker
