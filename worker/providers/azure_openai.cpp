#include "worker/providers/azure_openai.hpp"

#include "common/http/percent.hpp"
#include "worker/providers/base_path.hpp"
#include "worker/providers/openai_wire.hpp"

#include <charconv>

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

/// "... Please retry after 12 seconds": where the header is missing, it is all there is.
std::optional<std::chrono::milliseconds> find_retry_sentence(std::string_view message) {
    constexpr std::string_view kWords = "retry after ";
    const std::size_t at = message.find(kWords);
    if (at == std::string_view::npos) return std::nullopt;
    message.remove_prefix(at + kWords.size());
    std::uint32_t seconds = 0;
    const auto [end, error] =
        std::from_chars(message.data(), message.data() + message.size(), seconds);
    if (error != std::errc()) return std::nullopt;
    return std::chrono::seconds(seconds);
}

}  // namespace

WireRequest AzureOpenAi::make_request(const Endpoint& endpoint, const ModelRequest& request) const {
    WireRequest wire =
        make_openai_request(chat_url(endpoint, request.model), request.model, request);
    if (!endpoint.api_key.empty()) wire.http.headers.add("api-key", endpoint.api_key);
    return wire;
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
    Refusal refusal = read_openai_refusal(status, headers, body, now);
    if (!refusal.retry_after) refusal.retry_after = find_retry_sentence(refusal.message);
    return refusal;
}

}  // namespace evalfleet::worker
