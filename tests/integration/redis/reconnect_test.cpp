#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Phase = ConnectionState::Phase;
using ::testing::HasSubstr;
using testing::RedisServer;

TEST(Reconnect, FollowsAKilledAndRestartedServer) {
    RedisServer server({.has_tcp = true});
    auto play = [&](Client& client) -> asio::awaitable<void> {
        EXPECT_EQ(co_await echo(client, "before"), "before");
        server.kill();
        const ConnectionState lost = co_await await_phase(client, Phase::waiting);
        EXPECT_EQ(lost.last_error->kind, ErrorKind::transient);
        server.restart();
        EXPECT_EQ(co_await echo(client, "after"), "after");
        EXPECT_EQ(client.state().connects, 2U);
        EXPECT_EQ(client.metrics().disconnects, 1U);
    };
    with_client(quick_config(server.tcp_url()), play);
}

asio::awaitable<void> expect_reply_lost(Client& client, bool& is_lost) {
    const auto lost = co_await client.execute(Command("BLPOP", "list", 0), soon());
    EXPECT_EQ(lost.error().kind, ErrorKind::transient);
    EXPECT_THAT(lost.error().message, HasSubstr("may have run"));
    is_lost = true;
}

TEST(Reconnect, FailsWhatWasSentAndKeepsWhatWasNot) {
    RedisServer server;
    bool is_lost = false;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        (co_await client.ready(soon())).value();
        asio::co_spawn(executor, expect_reply_lost(client, is_lost),
                       [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
        while (client.metrics().writes == 0)
            co_await asio::post(executor, asio::use_awaitable);
        server.kill();
        co_await await_phase(client, Phase::waiting);
        // Issued while nobody is there; the restart runs before anything else on this thread.
        asio::post(executor, [&] { server.restart(); });
        EXPECT_EQ(co_await echo(client, "waited"), "waited");
        EXPECT_TRUE(is_lost);
    };
    with_client(quick_config(server.url()), play);
}

TEST(Reconnect, TellsAtTheDeadlineWhyThereIsNoConnection) {
    auto play = [](Client& client) -> asio::awaitable<void> {
        co_await await_phase(client, Phase::waiting);
        const auto late = co_await client.execute(Command("PING"), in(50ms));
        EXPECT_EQ(late.error().kind, ErrorKind::timeout);
        EXPECT_THAT(late.error().message, HasSubstr("before the command was sent"));
        EXPECT_THAT(late.error().message, HasSubstr("cannot connect to unix:/nonexistent"));
        const Status never = co_await client.ready(in(20ms));
        EXPECT_EQ(never.error().kind, ErrorKind::timeout);
        EXPECT_THAT(never.error().message, HasSubstr("cannot connect"));
        EXPECT_GE(client.metrics().connect_failures, 1U);
    };
    with_client(quick_config("unix:///nonexistent/redis.sock"), play);
}

TEST(Reconnect, GivesUpOnAHostThatAcceptsButSaysNothing) {
    RedisServer server({.has_tcp = true});
    server.freeze();
    Config config = quick_config(server.tcp_url());
    config.connect_timeout = 50ms;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        const auto state = co_await await_state(
            client, [](const ConnectionState& s) { return s.last_error.has_value(); });
        EXPECT_EQ(state.last_error->kind, ErrorKind::timeout);
        server.thaw();
        EXPECT_EQ(co_await echo(client, "thawed"), "thawed");
    };
    with_client(config, play);
}

TEST(Reconnect, NoticesAPeerThatFellSilent) {
    RedisServer server;
    Config config = quick_config(server.url());
    config.ping_interval = 20ms;
    config.ping_timeout = 200ms;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        (co_await client.ready(soon())).value();
        server.freeze();
        const auto state = co_await await_state(
            client, [](const ConnectionState& s) { return s.last_error.has_value(); });
        EXPECT_THAT(state.last_error->message, HasSubstr("no sign of life"));
        server.thaw();
        EXPECT_EQ(co_await echo(client, "back"), "back");
    };
    with_client(config, play);
}

TEST(Reconnect, LeavesAServerThatBecameAReplica) {
    RedisServer master({.has_tcp = true});
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, quick_config(server.url()));
    Client admin(context.get_executor(), clock, quick_config(server.url()));
    auto play = [&]() -> asio::awaitable<void> {
        EXPECT_EQ(co_await echo(client, "as master"), "as master");
        const Command replicate("REPLICAOF", "127.0.0.1", master.tcp_port());
        (co_await admin.execute(replicate, soon())).value();
        const auto refused = co_await client.execute(Command("SET", "k", "v"), soon());
        EXPECT_EQ(refused.error().kind, ErrorKind::transient);
        EXPECT_THAT(refused.error().message, HasSubstr("READONLY"));
        co_await await_state(client, [](const auto& s) { return s.connects == 2; });
        EXPECT_THAT(client.state().last_error->message, HasSubstr("READONLY"));
        (co_await admin.execute(Command("REPLICAOF", "NO", "ONE"), soon())).value();
        EXPECT_TRUE(co_await client.execute(Command("SET", "k", "v"), soon()));
    };
    run_scene(context, {&client, &admin}, play());
}

TEST(Reconnect, WaitsForAReplicaWithoutItsMaster) {
    RedisServer server({.arguments = {"--replica-serve-stale-data", "no"}});
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, quick_config(server.url()));
    Client admin(context.get_executor(), clock, quick_config(server.url()));
    auto play = [&]() -> asio::awaitable<void> {
        (co_await client.ready(soon())).value();
        (co_await admin.execute(Command("REPLICAOF", "127.0.0.1", 1), soon())).value();
        const auto refused = co_await client.execute(Command("GET", "k"), soon());
        EXPECT_EQ(refused.error().kind, ErrorKind::transient);
        EXPECT_THAT(refused.error().message, HasSubstr("MASTERDOWN"));
        // The others' connections; they find the server not ready when they come back.
        (co_await admin.execute(Command("CLIENT", "KILL", "TYPE", "normal"), soon())).value();
        const auto not_ready = co_await await_state(client, [](const auto& s) {
            return s.last_error && s.last_error->message.find("MASTERDOWN") != std::string::npos;
        });
        EXPECT_NE(not_ready.phase, Phase::stopped);
        (co_await admin.execute(Command("REPLICAOF", "NO", "ONE"), soon())).value();
        EXPECT_TRUE(co_await client.execute(Command("GET", "k"), soon()));
    };
    run_scene(context, {&client, &admin}, play());
}

TEST(Reconnect, WaitsForAServerThatIsLoadingItsData) {
    RedisServer server;
    auto fill = [](Client& client) -> asio::awaitable<void> {
        (co_await client.execute(Command("DEBUG", "POPULATE", 400), soon())).value();
        (co_await client.execute(Command("SAVE"), soon())).value();
    };
    with_client(quick_config(server.url()), fill);
    server.restart_and_let_load(
        {"--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024"});
    auto play = [](Client& client) -> asio::awaitable<void> {
        const auto state = co_await await_state(
            client, [](const auto& s) { return s.last_error || s.phase == Phase::ready; });
        EXPECT_NE(state.phase, Phase::ready);
        EXPECT_EQ(state.last_error.value_or(Error{}).kind, ErrorKind::transient);
        EXPECT_THAT(state.last_error.value_or(Error{}).message, HasSubstr("LOADING"));
        const auto size = co_await client.execute_as<std::int64_t>(Command("DBSIZE"), soon());
        EXPECT_EQ(size.value(), 400);
    };
    with_client(quick_config(server.url()), play);
}

}  // namespace
}  // namespace evalfleet::redis
