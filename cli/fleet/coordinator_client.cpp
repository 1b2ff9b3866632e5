#include "cli/fleet/coordinator_client.hpp"

#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTimeout{60};

Error error_of(const http::Response& response) {
    std::string detail = "the coordinator answered " + std::to_string(response.status);
    if (const auto problem = json::Document::parse(response.body)) {
        const auto text = problem->root().optional<std::string>("detail");
        if (text && *text && !(*text)->empty()) detail = **text;
    }
    const bool is_ours = response.status >= 400 && response.status < 500;
    return {is_ours ? ErrorKind::invalid : ErrorKind::transient, detail};
}

Result<RunProgress> parse_progress(std::string_view body) {
    const auto document = json::Document::parse(body);
    if (!document) return document.error();
    return read_progress(document->root());
}

}  // namespace

CoordinatorClient::CoordinatorClient(http::Client& client, async::Clock& clock, http::Url base)
    : client_(client), clock_(clock), base_(std::move(base)) {}

asio::awaitable<Result<std::string>> CoordinatorClient::call(std::string method, std::string path,
                                                             std::string body) {
    http::Request request;
    request.method = std::move(method);
    request.url = base_.with_path_appended(path);
    request.body = std::move(body);
    request.headers.set("Content-Type", "application/json");
    http::CallLimits limits;
    limits.total_deadline = clock_.now() + kTimeout;
    auto response = co_await client_.send(std::move(request), limits);
    if (!response) co_return response.error().within("coordinator");
    if (response->status >= 300) co_return error_of(*response);
    co_return std::move(response->body);
}

asio::awaitable<Result<std::vector<std::string>>> CoordinatorClient::submit(std::string run_json) {
    const auto body = co_await call("POST", "/api/v1/runs", std::move(run_json));
    if (!body) co_return body.error();
    const auto document = json::Document::parse(*body);
    if (!document) co_return document.error();
    co_return document->root().get<std::vector<std::string>>("run_ids");
}

asio::awaitable<Result<RunProgress>> CoordinatorClient::progress(std::string run_id) {
    const auto body = co_await call("GET", "/api/v1/runs/" + run_id, "");
    if (!body) co_return body.error();
    co_return parse_progress(*body);
}

asio::awaitable<Result<RunProgress>> CoordinatorClient::steer(std::string run_id,
                                                              std::string what) {
    const auto body = co_await call("POST", "/api/v1/runs/" + run_id + "/" + what, "");
    if (!body) co_return body.error();
    co_return parse_progress(*body);
}

asio::awaitable<Result<std::vector<RunProgress>>> CoordinatorClient::runs() {
    const auto body = co_await call("GET", "/api/v1/runs?limit=500", "");
    if (!body) co_return body.error();
    const auto document = json::Document::parse(*body);
    if (!document) co_return document.error();
    const auto list = document->root().get<json::Array>("runs");
    if (!list) co_return list.error();
    std::vector<RunProgress> all;
    for (const json::Value value : *list) {
        auto progress = read_progress(value);
        if (!progress) co_return progress.error();
        all.push_back(std::move(*progress));
    }
    co_return all;
}

}  // namespace evalfleet::fleet
