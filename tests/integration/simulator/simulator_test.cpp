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

namespace evalfleet::simulator {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A simulator and a client that talks to it, both on the test's own thread.
class SimulatorTest : public ::testing::Test {
  protected:
    using Exchange = std::function<asio::awaitable<void>(http::Client&, const std::string& url)>;

    void serve(SimulatorConfig config, const Exchange& exchange) {
        ServiceConfig service;
        service.port_file = folder_ / "port";
        service.log = folder_ / "log.jsonl";
        Simulator simulator(context_.get_executor(), clock_, std::move(config), service);
        ASSERT_TRUE(simulator.blocking_start());
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
                                                 std::string body, std::string directive = "") {
        http::Request request;
        request.method = "POST";
        request.url = http::Url::parse(url + "/v1/chat/completions").value();
        request.body = std::move(body);
        request.may_resend = false;
        if (!directive.empty()) request.headers.add("x-simulate", directive);
        http::CallLimits limits;
        limits.total_deadline = clock_.now() + 20s;
        co_return co_await client.send(std::move(request), limits);
    }

    std::string log() { return files::blocking_read_file(folder_ / "log.jsonl", 1 << 20).value(); }

    ::evalfleet::testing::TemporaryFolder folder_;
    asio::io_context context_{1};
    async::SystemClock clock_;
};

constexpr const char* kBody =
    R"({"model":"m","messages":[{"role":"user","content":"What is it?"}]})";

TEST_F(SimulatorTest, AnswersAChat) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = post(client, url, kBody);
        const auto response = co_await std::move(call);
        EXPECT_TRUE(response);
        if (!response) co_return;
        EXPECT_EQ(response->status, 200);
        EXPECT_THAT(response->body, HasSubstr("\"model\":\"simulated/m\""));
        EXPECT_TRUE(response->headers.contains("openai-processing-ms"));
        const std::string port = files::blocking_read_file(folder_ / "port", 16).value();
        EXPECT_THAT(url + "\n", HasSubstr(port));
    });
    EXPECT_THAT(log(), HasSubstr("\"kind\":\"model\""));
    EXPECT_THAT(log(), HasSubstr("\"status\":200"));
}

TEST_F(SimulatorTest, ObeysTheHeader) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = post(client, url, kBody, "status=429,times=1,retry_after=2");
        const auto refused = co_await std::move(call);
        EXPECT_EQ(refused.value().status, 429);
        EXPECT_EQ(refused.value().headers.find("Retry-After"), "2");
        auto again = post(client, url, kBody, "status=429,times=1,retry_after=2");
        EXPECT_EQ((co_await std::move(again)).value().status, 200);
    });
}

TEST_F(SimulatorTest, ClosesTheConnectionWithoutAnAnswer) {
    SimulatorConfig config;
    config.hang = 1s;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto reset = post(client, url, kBody, "fault=reset");
        const auto cut = co_await std::move(reset);
        EXPECT_TRUE(!cut && cut.error().kind == ErrorKind::transient);
        auto hang = post(client, url, kBody, "fault=hang");
        EXPECT_FALSE(co_await std::move(hang));
    });
    EXPECT_THAT(log(), HasSubstr("\"status\":0"));
}

TEST_F(SimulatorTest, RefusesWhatIsNoChat) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto malformed = post(client, url, "{");
        EXPECT_EQ((co_await std::move(malformed)).value().status, 400);
        auto empty = post(client, url, R"({"model":"m","messages":[]})");
        EXPECT_EQ((co_await std::move(empty)).value().status, 400);
        auto directive = post(client, url, kBody, "nonsense=1");
        const auto refused = co_await std::move(directive);
        EXPECT_EQ(refused.value().status, 400);
        EXPECT_THAT(refused.value().body, HasSubstr("unknown key 'nonsense'"));
    });
}

}  // namespace
}  // namespace evalfleet::simulator
