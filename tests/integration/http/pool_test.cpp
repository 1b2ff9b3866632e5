#include "common/async/task_group.hpp"
#include "tests/integration/http/client_fixture.hpp"
#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>

#include <array>
#include <atomic>

namespace evalfleet::http {
namespace {

namespace asio = boost::asio;
using testing::HttpImposter;
using testing::Script;

class HttpPool : public HttpClientTest {
  protected:
    using Outcome = std::optional<Result<Response>>;

    static ClientConfig at_most(std::size_t connections) {
        ClientConfig config;
        config.max_connections_per_host = connections;
        return config;
    }

    /// Starts a call on the context; its outcome is empty while it runs, and if it was cancelled.
    void start(const std::string& url, Outcome& outcome,
               asio::cancellation_signal* cancel = nullptr) {
        auto keep = [&outcome](const std::exception_ptr& failure, Result<Response> response) {
            if (!failure) outcome = std::move(response);
        };
        auto slot = cancel != nullptr ? cancel->slot() : asio::cancellation_slot();
        asio::co_spawn(context_, client().send(get(url), limits()),
                       asio::bind_cancellation_slot(slot, keep));
    }
};

TEST_F(HttpPool, LetsCallsWaitForAFreeConnection) {
    HttpImposter server({Script().answer("1").answer("2").answer("3").hang()});
    client(at_most(1));
    std::array<Outcome, 3> outcomes;
    for (auto& outcome : outcomes)
        start(server.url(), outcome);
    context_.run();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        ASSERT_TRUE(outcomes[i] && *outcomes[i]) << i;
        EXPECT_EQ((*outcomes[i])->body, std::to_string(i + 1)) << "first come, first served";
    }
    EXPECT_EQ(server.count_connections(), 1U);
}

TEST_F(HttpPool, LosesNothingWhenAWaitingCallIsCancelled) {
    HttpImposter server({Script().answer("1").answer("2").hang()});
    client(at_most(1));
    std::array<Outcome, 3> outcomes;
    asio::cancellation_signal cancel;
    start(server.url(), outcomes[0]);
    start(server.url(), outcomes[1], &cancel);
    start(server.url(), outcomes[2]);
    asio::post(context_, [&] { cancel.emit(asio::cancellation_type::terminal); });
    context_.run();
    EXPECT_TRUE(outcomes[0] && *outcomes[0]);
    EXPECT_FALSE(outcomes[1]);
    ASSERT_TRUE(outcomes[2] && *outcomes[2]);
    EXPECT_EQ((*outcomes[2])->body, "2");
}

TEST_F(HttpPool, ClosesTheConnectionOfACancelledCall) {
    HttpImposter server({Script().read_request().hang(), Script().answer("ok").hang()});
    client(at_most(1));
    Outcome outcome;
    asio::cancellation_signal cancel;
    start(server.url(), outcome, &cancel);
    std::thread canceller([&] {
        server.blocking_await_requests(1);
        asio::post(context_, [&] { cancel.emit(asio::cancellation_type::terminal); });
    });
    context_.run();
    canceller.join();
    EXPECT_FALSE(outcome);
    server.blocking_await_ended_connections(1);
    EXPECT_EQ(send(get(server.url()))->body, "ok") << "its place in the pool is free again";
}

TEST_F(HttpPool, DoesNotUseAConnectionThatWasIdleForTooLong) {
    HttpImposter server({Script().answer("1").hang()});
    testing::ManualClock clock;
    ClientConfig config;
    config.idle_timeout = std::chrono::seconds(30);
    Client client(context_.get_executor(), clock, config);
    for (int i = 0; i < 2; ++i) {
        const auto response = testing::run(context_, client.send(get(server.url()), {}));
        ASSERT_TRUE(response) << response.error().message;
        EXPECT_FALSE(response->timings.connection_reused);
        clock.advance(std::chrono::seconds(30));
    }
    EXPECT_EQ(server.count_connections(), 2U);
}

TEST_F(HttpPool, ClosesIdleConnectionsInTheBackground) {
    HttpImposter server({Script().answer("1").hang()});
    testing::ManualClock clock;
    ClientConfig config;
    config.idle_timeout = std::chrono::seconds(30);
    Client client(context_.get_executor(), clock, config);
    ASSERT_TRUE(testing::run(context_, client.send(get(server.url()), {})));
    ASSERT_EQ(client.count_idle_connections(), 1U);
    asio::cancellation_signal stop;
    asio::co_spawn(context_, client.run(),
                   asio::bind_cancellation_slot(stop.slot(), [](const std::exception_ptr&) {}));
    context_.restart();
    std::thread thread([&] { context_.run(); });
    for (int i = 0; i < 2; ++i) {
        clock.blocking_await_sleepers(1);
        clock.advance(std::chrono::seconds(15));
    }
    server.blocking_await_ended_connections(1);
    asio::post(context_, [&] { stop.emit(asio::cancellation_type::terminal); });
    thread.join();
    EXPECT_EQ(client.count_idle_connections(), 0U);
}

asio::awaitable<void> call_many(Client& client, std::string url, CallLimits limits, int count,
                                std::atomic<int>& good) {
    for (int i = 0; i < count; ++i) {
        const auto response = co_await client.send(post(url, "body"), limits);
        if (response && response->body == "body") ++good;
    }
}

TEST_F(HttpPool, ServesManyStrandsOnSeveralThreads) {
    const RunningServer server(make_router());
    asio::io_context context(2);
    Client shared(context.get_executor(), clock_, at_most(8));
    std::atomic<int> good = 0;
    for (int i = 0; i < 32; ++i) {
        asio::co_spawn(asio::make_strand(context),
                       call_many(shared, server.url("/echo"), limits(), 20, good),
                       [](const std::exception_ptr& failure) {
                           if (failure) std::rethrow_exception(failure);
                       });
    }
    std::thread other([&] { context.run(); });
    context.run();
    other.join();
    EXPECT_EQ(good, 32 * 20);
    EXPECT_LE(shared.count_idle_connections(), 8U);
}

TEST_F(HttpPool, HoldsAThousandConnectionsAtOnce) {
    const RunningServer server(make_router());
    client(at_most(1000));
    std::atomic<int> good = 0;
    for (int i = 0; i < 1000; ++i) {
        asio::co_spawn(context_, call_many(client(), server.url("/echo"), limits(), 2, good),
                       [](const std::exception_ptr& failure) {
                           if (failure) std::rethrow_exception(failure);
                       });
    }
    context_.run();
    EXPECT_EQ(good, 2000);
}

TEST(HttpServerStress, StartsAndStopsUnderLoad) {
    async::SystemClock clock;
    for (int round = 0; round < 30; ++round) {
        asio::io_context context(1);
        Client client(context.get_executor(), clock, {});
        std::atomic<int> good = 0;
        std::thread caller;
        {
            RunningServer server(make_router());
            CallLimits limits;
            limits.total_deadline = clock.now() + std::chrono::seconds(60);
            for (int i = 0; i < 8; ++i) {
                asio::co_spawn(context, call_many(client, server.url("/echo"), limits, 10, good),
                               [](const std::exception_ptr&) {});
            }
            caller = std::thread([&] { context.run(); });
            while (good < round)
                std::this_thread::yield();
        }
        caller.join();
        EXPECT_GE(good, round);
    }
}

TEST(HttpServerStress, EndsEverythingWhenItsRunIsCancelled) {
    async::SystemClock clock;
    asio::io_context context(1);
    Server server(context.get_executor(), clock, {}, make_router());
    ASSERT_TRUE(server.listen());
    asio::cancellation_signal stop;
    std::exception_ptr failure;
    asio::co_spawn(context, server.run(),
                   asio::bind_cancellation_slot(
                       stop.slot(), [&](const std::exception_ptr& thrown) { failure = thrown; }));
    std::thread thread([&] { context.run(); });
    RawClient idle(server.port());
    RawClient busy(server.port());
    busy.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(busy.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    asio::post(context, [&] { stop.emit(asio::cancellation_type::terminal); });
    thread.join();
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_EQ(busy.read_to_end(), "");
    EXPECT_EQ(server.count_connections(), 0U);
}

}  // namespace
}  // namespace evalfleet::http
