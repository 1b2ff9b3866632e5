#include "tests/integration/redis/scenario.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/redis_server.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::RedisServer;

void expect_no_failure(const std::exception_ptr& failure) {
    EXPECT_FALSE(failure);
}

TEST(ClientLifecycle, FailsEverythingPendingAsCancelledWhenItStops) {
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, parse_url(server.url()).value());
    asio::cancellation_signal stop;
    std::exception_ptr end;
    asio::co_spawn(context, client.run(),
                   asio::bind_cancellation_slot(
                       stop.slot(), [&](std::exception_ptr failure) { end = std::move(failure); }));
    auto play = [&]() -> asio::awaitable<void> {
        (co_await client.ready(soon())).value();
        asio::post(context, [&] { stop.emit(asio::cancellation_type::terminal); });
        const auto pending = co_await client.execute(Command("BLPOP", "l", 0), async::kNever);
        EXPECT_EQ(pending.error().kind, ErrorKind::cancelled);
        EXPECT_EQ(client.state().phase, ConnectionState::Phase::stopped);
        const auto later = co_await client.execute(Command("PING"), soon());
        EXPECT_EQ(later.error().kind, ErrorKind::cancelled);
        EXPECT_EQ((co_await client.ready(soon())).error().kind, ErrorKind::cancelled);
    };
    testing::run(context, play());
    ASSERT_TRUE(end);
    EXPECT_THROW(std::rethrow_exception(end), boost::system::system_error);
}

TEST(ClientLifecycle, MayBeDestroyedWithoutEverRunning) {
    asio::io_context context(1);
    async::SystemClock clock;
    ErrorKind kind{};
    auto ask = [&kind](Client& client) -> asio::awaitable<void> {
        kind = (co_await client.execute(Command("PING"), soon())).error().kind;
    };
    auto client = std::make_unique<Client>(context.get_executor(), clock, Config{});
    asio::co_spawn(context, ask(*client), expect_no_failure);
    asio::post(context, [&] { asio::post(context, [&] { client.reset(); }); });
    context.run();
    EXPECT_EQ(kind, ErrorKind::cancelled);
}

TEST(ClientLifecycle, RefusesAWrongConfiguration) {
    asio::io_context context(1);
    async::SystemClock clock;
    Config config;
    config.database = -1;
    EXPECT_THROW(Client(context.get_executor(), clock, config), std::invalid_argument);
}

TEST(ClientLifecycle, KeepsDeadlinesOnTheClockThatItWasGiven) {
    asio::io_context context(1);
    testing::ManualClock clock;
    Client client(context.get_executor(), clock, quick_config("unix:///nonexistent/redis.sock"));
    auto play = [&]() -> asio::awaitable<void> {
        const auto late = co_await client.execute(Command("PING"), clock.now() + 10s);
        EXPECT_EQ(late.error().kind, ErrorKind::timeout);
    };
    // One sleeper is the deadline, the other one the connection that does not come about.
    std::thread time([&clock] {
        clock.blocking_await_sleepers(2);
        clock.advance(10s);
    });
    run_scene(context, {&client}, play());
    time.join();
}

TEST(ClientLifecycle, RunsOnlyOnce) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        co_await echo(client, "runs");
        bool has_thrown = false;
        try {
            co_await client.run();
        } catch (const std::logic_error&) {
            has_thrown = true;
        }
        EXPECT_TRUE(has_thrown);
    };
    with_client(parse_url(server.url()).value(), play);
}

/// Asks until the client stops. Every answer must be its own or `cancelled`.
asio::awaitable<void> ask_until_stopped(Client& client, int name) {
    for (int i = 0;; ++i) {
        const std::string text = std::to_string(name) + ":" + std::to_string(i);
        const auto got = co_await client.execute_as<std::string>(Command("ECHO", text), soon());
        if (!got) {
            EXPECT_EQ(got.error().kind, ErrorKind::cancelled) << got.error().message;
            co_return;
        }
        EXPECT_EQ(*got, text);
    }
}

TEST(ClientLifecycle, SurvivesBeingStartedAndStoppedAtRandomMoments) {
    RedisServer server;
    async::SystemClock clock;
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        asio::thread_pool pool(2);
        const auto strand = asio::make_strand(pool.get_executor());
        auto client =
            std::make_unique<Client>(pool.get_executor(), clock, quick_config(server.url()));
        asio::cancellation_signal stop;
        asio::co_spawn(strand, client->run(),
                       asio::bind_cancellation_slot(stop.slot(), [](const std::exception_ptr& end) {
                           EXPECT_THROW(std::rethrow_exception(end), boost::system::system_error);
                       }));
        for (int i = 0; i < 5; ++i)
            asio::co_spawn(asio::make_strand(pool.get_executor()), ask_until_stopped(*client, i),
                           expect_no_failure);
        auto stop_later = [&](std::chrono::microseconds delay) -> asio::awaitable<void> {
            co_await clock.wait_for(delay);
            stop.emit(asio::cancellation_type::terminal);
        };
        asio::co_spawn(strand, stop_later(std::chrono::microseconds(random() % 5000)),
                       expect_no_failure);
        pool.join();
    }
}

asio::awaitable<void> ask_many(Client& client, int name, int count, std::atomic<int>& right) {
    for (int i = 0; i < count; ++i) {
        const std::string text = std::to_string(name) + ":" + std::to_string(i);
        if (co_await echo(client, text) == text) ++right;
    }
}

TEST(ClientLifecycle, ServesManyThreads) {
    constexpr int kCallers = 32;
    constexpr int kEach = 200;
    RedisServer server;
    async::SystemClock clock;
    asio::thread_pool pool(4);
    Client client(pool.get_executor(), clock, parse_url(server.url()).value());
    asio::cancellation_signal stop;
    const auto strand = asio::make_strand(pool.get_executor());
    asio::co_spawn(strand, client.run(),
                   asio::bind_cancellation_slot(stop.slot(), [](const std::exception_ptr&) {}));
    std::atomic<int> right = 0;
    std::atomic<int> running = kCallers;
    for (int i = 0; i < kCallers; ++i)
        asio::co_spawn(asio::make_strand(pool.get_executor()), ask_many(client, i, kEach, right),
                       [&](const std::exception_ptr& failure) {
                           EXPECT_FALSE(failure);
                           (void)client.metrics();
                           (void)client.state();
                           if (--running == 0)
                               asio::post(strand,
                                          [&] { stop.emit(asio::cancellation_type::terminal); });
                       });
    pool.join();
    EXPECT_EQ(right, kCallers * kEach);
    EXPECT_EQ(client.metrics().commands, static_cast<std::uint64_t>(kCallers * kEach));
}

}  // namespace
}  // namespace evalfleet::redis
