#include "common/async/task_group.hpp"
#include "common/json/document.hpp"
#include "tests/integration/simulator/simulator_fixture.hpp"

#include <algorithm>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A provider that is slow, silent about its limits, or out of order.
class SimulatorOverload : public SimulatorTest {
  protected:
    struct Logged {
        std::string kind;
        std::int64_t arrival;
        std::int64_t service;
        std::int64_t last_byte;
    };

    std::vector<Logged> logged() {
        std::vector<Logged> lines;
        const std::string text = log();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            const auto document = json::Document::parse(text.substr(at, end - at)).value();
            const json::Value line = document.root();
            lines.push_back({line.get<std::string>("kind").value(),
                             line.get<std::int64_t>("arrival_ns").value(),
                             line.get<std::int64_t>("service_ns").value(),
                             line.get<std::int64_t>("last_byte_ns").value()});
            at = end + 1;
        }
        return lines;
    }

    /// Asks `count` different questions at once, and waits for them all.
    asio::awaitable<void> ask_many(std::string url, int count, std::vector<int>& statuses,
                                   bool stream = false) {
        async::TaskGroup calls(context_.get_executor(),
                               [](std::exception_ptr thrown) { std::rethrow_exception(thrown); });
        for (int i = 0; i < count; ++i)
            calls.spawn(ask_once(url, i, statuses, stream));
        co_await calls.join();
    }

    asio::awaitable<void> ask_once(std::string url, int i, std::vector<int>& statuses,
                                   bool stream) {
        http::Client client(context_.get_executor(), clock_, {});
        auto call = ask(client, url, "",
                        fmt::format(R"({{"model":"m","stream":{},"messages":[{{"role":"user",)"
                                    R"("content":"Question {}?"}}]}})",
                                    stream, i));
        const auto response = co_await std::move(call);
        statuses.push_back(response ? response->status : 0);
    }

    /// Asks until the status comes; 0: the connection was refused or cut.
    asio::awaitable<void> ask_until(http::Client& client, std::string url, int status) {
        for (int found = -1; found != status;) {
            auto call = ask(client, url);
            const auto response = co_await std::move(call);
            found = response ? response->status : 0;
            co_await clock_.wait_for(5ms);
        }
    }
};

TEST_F(SimulatorOverload, WorksOnSoManyRequestsAsItHasSlots) {
    SimulatorConfig config;
    config.slots = 2;
    config.latency_median = 100ms;
    std::vector<int> statuses;
    serve(config,
          [&](http::Client&, const std::string& url) { return ask_many(url, 8, statuses); });
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), 8);
    const auto lines = logged();
    ASSERT_EQ(lines.size(), 8U);
    constexpr std::int64_t kService = 100'000'000;
    for (const Logged& line : lines) {
        EXPECT_GE(line.last_byte - line.service, kService);
        const auto busy = std::count_if(lines.begin(), lines.end(), [&](const Logged& other) {
            return other.service <= line.service && line.service < other.service + kService;
        });
        EXPECT_LE(busy, 2);
    }
}

TEST_F(SimulatorOverload, StreamsFromTheMomentARequestGetsItsSlot) {
    SimulatorConfig config;
    config.slots = 1;
    config.latency_median = 50ms;
    std::vector<int> statuses;
    serve(config,
          [&](http::Client&, const std::string& url) { return ask_many(url, 2, statuses, true); });
    const auto lines = logged();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_GE(std::abs(lines[1].service - lines[0].service), 50'000'000);
    for (const Logged& line : lines)
        EXPECT_GE(line.last_byte - line.service, 50'000'000);
}

TEST_F(SimulatorOverload, HidesItsLimits) {
    SimulatorConfig config;
    config.quota.rpm = 1;
    config.quota.is_hidden = true;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto first = ask(client, url);
        const auto passed = co_await std::move(first);
        EXPECT_EQ(passed.value().status, 200);
        EXPECT_FALSE(passed.value().headers.contains("x-ratelimit-remaining-requests"));
        auto second = ask(client, url);
        const auto refused = co_await std::move(second);
        EXPECT_EQ(refused.value().status, 429);
        EXPECT_FALSE(refused.value().headers.contains("Retry-After"));
        EXPECT_FALSE(refused.value().headers.contains("x-ratelimit-remaining-requests"));
    });
    EXPECT_EQ(logged().back().service, 0);
}

TEST_F(SimulatorOverload, CountsTheLimitsOfEachModelApart) {
    SimulatorConfig config;
    config.quota.rpm = 1;
    config.quota.by = LimitBy::model;
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const char* model : {"one", "two"}) {
            const std::string body = fmt::format(
                R"({{"model":"{}","messages":[{{"role":"user","content":"?"}}]}})", model);
            auto first = ask(client, url, "", body);
            EXPECT_EQ((co_await std::move(first)).value().status, 200);
            auto second = ask(client, url, "", body);
            EXPECT_EQ((co_await std::move(second)).value().status, 429);
        }
    });
}

TEST_F(SimulatorOverload, TellsFractionsOfSeconds) {
    SimulatorConfig config;
    config.faults.overload = 1;
    config.retry_after = RetryAfter::parse("0.5").value();
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = ask(client, url);
        const auto refused = co_await std::move(call);
        EXPECT_EQ(refused.value().status, 529);
        EXPECT_EQ(refused.value().headers.find("Retry-After"), "0.5");
    });
}

TEST_F(SimulatorOverload, AnswersEveryCallWithAnOutagesStatus) {
    SimulatorConfig config;
    config.latency_median = 3600s;
    config.outages = {Outage{0s, 3600s, 503}};
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            auto call = ask(client, url);
            EXPECT_EQ((co_await std::move(call)).value().status, 503);
        }
    });
    EXPECT_EQ(logged().back().kind, "outage");
}

TEST_F(SimulatorOverload, RefusesConnectionsForATimeAndThenServesOnTheSamePort) {
    SimulatorConfig config;
    config.outages = {Outage{50ms, 100ms, {}}, Outage{200ms, 50ms, {}}};
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const int status : {200, 0, 200, 0, 200})
            co_await ask_until(client, url, status);
    });
}

TEST_F(SimulatorOverload, DropsOpenConnectionsWhenItRefusesNewOnes) {
    SimulatorConfig config;
    config.latency_median = 3600s;
    config.outages = {Outage{20ms, 20ms, {}}};
    serve(config, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        auto call = ask(client, url);
        const auto dropped = co_await std::move(call);
        EXPECT_TRUE(!dropped && dropped.error().kind == ErrorKind::transient);
    });
    EXPECT_THAT(log(), HasSubstr("\"status\":0"));
}

}  // namespace
}  // namespace evalfleet::simulator
