#pragma once

#include "cli/simulator/simulator.hpp"
#include "common/async/run_all.hpp"
#include "common/files/file.hpp"
#include "common/http/client.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::simulator {

namespace asio = boost::asio;

/// A simulator and a client that talks to it, both on the test's own thread.
class SimulatorTest : public ::testing::Test {
  protected:
    /// What a test does with it; the url has no path.
    using Exchange = std::function<asio::awaitable<void>(http::Client&, const std::string& url)>;

    /// Serves until the exchange is over. The log is complete afterwards.
    void serve(const SimulatorConfig& config, const Exchange& exchange) {
        service_.log = folder_ / "log.jsonl";
        const auto stage = Stage::blocking_open(config, service_);
        ASSERT_TRUE(stage) << stage.error().message;
        Simulator simulator(context_.get_executor(), clock_, **stage);
        ASSERT_TRUE(simulator.listen(service_));
        http::Client client(context_.get_executor(), clock_, {});
        const std::string url = fmt::format("http://127.0.0.1:{}", simulator.port());
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(exchange(client, url));
        roles.push_back(simulator.run());
        ::evalfleet::testing::run(context_, join(std::move(roles)));
    }

    static asio::awaitable<void> join(std::vector<asio::awaitable<void>> roles) {
        co_await async::run_all(std::move(roles));
    }

    asio::awaitable<Result<http::Response>> post(http::Client& client, std::string url,
                                                 std::string body, http::Headers headers = {}) {
        http::Request request;
        request.method = "POST";
        request.url = http::Url::parse(url).value();
        request.body = std::move(body);
        request.headers = std::move(headers);
        request.may_resend = false;
        http::CallLimits limits;
        limits.total_deadline = clock_.now() + std::chrono::seconds(60);
        co_return co_await client.send(std::move(request), limits);
    }

    /// A question to OpenAI's route, with a directive.
    asio::awaitable<Result<http::Response>> ask(http::Client& client, std::string url,
                                                std::string directive = "",
                                                std::string body = kBody) {
        http::Headers headers;
        if (!directive.empty()) headers.add("x-simulate", directive);
        co_return co_await post(client, url + "/v1/chat/completions", std::move(body),
                                std::move(headers));
    }

    /// The lines of the log, after `serve`.
    std::string log() { return files::blocking_read_file(folder_ / "log.jsonl", 1 << 20).value(); }

    static constexpr const char* kBody =
        R"({"model":"m","messages":[{"role":"user","content":"What is it?"}]})";
    static constexpr const char* kStreamBody =
        R"({"model":"m","stream":true,"messages":[{"role":"user","content":"What is it?"}]})";

    ::evalfleet::testing::TemporaryFolder folder_;
    ServiceConfig service_;
    asio::io_context context_{1};
    async::SystemClock clock_;
};

}  // namespace evalfleet::simulator
