#include "cli/fleet/coordinator_client.hpp"

#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;

namespace {

Result<RunProgress> parse_progress(std::string_view body) {
    const auto document = json::Document::parse(body);
    if (!document) return document.error();
    return remote::read_progress(document->root());
}

}  // namespace

CoordinatorClient::CoordinatorClient(http::Client& client, async::Clock& clock, http::Url base,
                                     std::string token)
    : api_(client, clock, std::move(base), std::move(token)) {}

asio::awaitable<Result<SubmissionAnswer>> CoordinatorClient::submit(std::string run_json) {
    remote::Call call{"POST", "/runs", std::move(run_json)};
    co_return co_await hand_in(std::move(call));
}

asio::awaitable<Result<SubmissionAnswer>> CoordinatorClient::derive(std::string run_id,
                                                                    std::string how,
                                                                    std::string body) {
    remote::Call call{"POST", "/runs/" + run_id + "/" + how, std::move(body)};
    call.idempotency_key = "evalfleet-run-" + how + "-" + run_id;
    co_return co_await hand_in(std::move(call));
}

asio::awaitable<Result<SubmissionAnswer>> CoordinatorClient::hand_in(remote::Call call) {
    const auto response = co_await api_.ask(std::move(call));
    if (!response) co_return response.error();
    if (response->status >= 300) {
        co_return SubmissionAnswer{
            {}, remote::read_refusal(response->status, response->headers, response->body)};
    }
    const auto document = json::Document::parse(response->body);
    if (!document) co_return document.error();
    auto ids = document->root().get<std::vector<std::string>>("run_ids");
    if (!ids) co_return ids.error();
    co_return SubmissionAnswer{std::move(*ids), std::nullopt};
}

asio::awaitable<Result<RunProgress>> CoordinatorClient::progress(std::string run_id) {
    remote::Call call{"GET", "/runs/" + run_id};
    const auto body = co_await api_.call(std::move(call));
    if (!body) co_return body.error();
    co_return parse_progress(*body);
}

asio::awaitable<Result<RunProgress>> CoordinatorClient::steer(std::string run_id,
                                                              std::string what) {
    remote::Call call{"POST", "/runs/" + run_id + "/" + what};
    const auto body = co_await api_.call(std::move(call));
    if (!body) co_return body.error();
    co_return parse_progress(*body);
}

asio::awaitable<Result<std::string>> CoordinatorClient::retry(std::string run_id) {
    remote::Call call{"POST", "/runs/" + run_id + "/retry"};
    call.idempotency_key = "evalfleet-run-retry-" + run_id;
    const auto body = co_await api_.call(std::move(call));
    if (!body) co_return body.error();
    const auto document = json::Document::parse(*body);
    if (!document) co_return document.error();
    co_return document->root().get<std::string>("run_id");
}

asio::awaitable<Result<std::vector<RunProgress>>> CoordinatorClient::runs() {
    remote::Call call{"GET", "/runs?limit=500"};
    const auto body = co_await api_.call(std::move(call));
    if (!body) co_return body.error();
    const auto document = json::Document::parse(*body);
    if (!document) co_return document.error();
    const auto list = document->root().get<json::Array>("runs");
    if (!list) co_return list.error();
    std::vector<RunProgress> all;
    for (const json::Value value : *list) {
        auto progress = remote::read_progress(value);
        if (!progress) co_return progress.error();
        all.push_back(std::move(*progress));
    }
    co_return all;
}

}  // namespace evalfleet::fleet
