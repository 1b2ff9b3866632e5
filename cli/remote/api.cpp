#include "cli/remote/api.hpp"

#include "common/http/percent.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace evalfleet::remote {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kConnectTimeout{15};
constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{256} * 1024 * 1024;
constexpr std::uint64_t kMaxRefusalBytes = std::uint64_t{1024} * 1024;
constexpr int kMaxTries = 4;
constexpr std::chrono::milliseconds kMaxWait{10'000};
constexpr std::uint64_t kSlowestBytesPerSecond = 4096;  // the coordinator gives up at a quarter

bool is_success(int status) {
    return status >= 200 && status < 300;
}

std::string_view role_for(std::string_view method) {
    return method == "GET" ? "reader" : "submitter";
}

// A coordinator that names a time did nothing, and will be there again.
bool asks_to_wait(const http::Response& response) {
    return (response.status == 429 || response.status == 503) &&
           read_refusal(response.status, response.headers, "").retry_after.has_value();
}

Error refusal_error(const http::Response& response, std::string_view method) {
    return to_error(read_refusal(response.status, response.headers, response.body),
                    role_for(method));
}

}  // namespace

std::string encode(std::string_view part) {
    return http::percent_encode(part);
}

Api::Api(http::Client& client, async::Clock& clock, http::Url base, std::string token)
    : client_(client), clock_(clock), base_(std::move(base)), token_(std::move(token)) {}

http::Request Api::make_request(const std::string& method, const std::string& path) const {
    http::Request request;
    request.method = method;
    request.url = base_.with_path_appended("/api/v1" + path);
    if (!token_.empty()) request.headers.set("Authorization", "Bearer " + token_);
    return request;
}

asio::awaitable<Result<http::Response>> Api::ask(Call call) {
    for (int tries = 1;; ++tries) {
        http::Request request = make_request(call.method, call.path);
        request.body = call.body;
        request.may_resend = call.method == "GET" || !call.idempotency_key.empty();
        if (!call.body.empty()) request.headers.set("Content-Type", call.content_type);
        if (!call.idempotency_key.empty())
            request.headers.set("Idempotency-Key", call.idempotency_key);
        http::CallLimits limits;
        limits.connect_deadline = clock_.now() + kConnectTimeout;
        limits.total_deadline = clock_.now() + call.timeout;
        limits.max_body_bytes = kMaxAnswerBytes;
        auto response = co_await client_.send(std::move(request), limits);
        if (!response) co_return unreachable(response.error());
        if (tries == kMaxTries || !asks_to_wait(*response)) co_return response;
        const auto wait = *read_refusal(response->status, response->headers, "").retry_after;
        co_await clock_.wait_for(std::min(wait, kMaxWait));
    }
}

asio::awaitable<Result<std::string>> Api::call(Call call) {
    const std::string method = call.method;
    auto response = co_await ask(std::move(call));
    if (!response) co_return response.error();
    if (!is_success(response->status)) co_return refusal_error(*response, method);
    co_return std::move(response->body);
}

asio::awaitable<Result<std::string>> Api::upload(std::string path, http::BodySource& body) {
    http::Request request = make_request("PUT", path);
    request.headers.set("Content-Type", "application/x-ndjson");
    http::CallLimits limits;
    limits.connect_deadline = clock_.now() + kConnectTimeout;
    limits.total_deadline = clock_.now() + std::chrono::seconds(120) +
                            std::chrono::seconds(body.size() / kSlowestBytesPerSecond);
    auto response = co_await client_.upload(std::move(request), body, limits);
    if (!response) co_return unreachable(response.error());
    if (!is_success(response->status)) co_return refusal_error(*response, "PUT");
    co_return std::move(response->body);
}

asio::awaitable<Result<http::ResponseStream>> Api::open(std::string path, http::Headers headers) {
    http::Request request = make_request("GET", path);
    for (const auto& [name, value] : headers)
        request.headers.set(name, value);
    http::CallLimits limits;
    limits.connect_deadline = clock_.now() + kConnectTimeout;
    limits.first_byte_deadline = clock_.now() + std::chrono::seconds(120);
    limits.max_body_bytes = std::numeric_limits<std::uint64_t>::max();
    auto stream = co_await client_.open(std::move(request), limits);
    if (!stream) co_return unreachable(stream.error());
    if (is_success(stream->status())) co_return stream;
    http::Response refusal{stream->status(), stream->headers(), "", {}};
    while (refusal.body.size() < kMaxRefusalBytes) {
        auto part = co_await stream->read();
        if (!part || !*part) break;
        refusal.body += **part;
    }
    co_return refusal_error(refusal, "GET");
}

}  // namespace evalfleet::remote
