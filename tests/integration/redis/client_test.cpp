#include "common/redis/client.hpp"

#include "common/async/deadline.hpp"
#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::RedisServer;

TEST(Client, TalksOverTcp) {
    RedisServer server({.has_tcp = true});
    auto play = [](Client& client) -> asio::awaitable<void> {
        EXPECT_EQ(co_await echo(client, "over tcp"), "over tcp");
        EXPECT_EQ(client.state().phase, ConnectionState::Phase::ready);
        EXPECT_EQ(client.metrics().connects, 1U);
    };
    with_client(parse_url(server.tcp_url()).value(), play);
}

TEST(Client, TalksOverAUnixSocket) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        EXPECT_EQ(co_await echo(client, "over a socket"), "over a socket");
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(Client, FindsAServerByName) {
    RedisServer server({.has_tcp = true});
    auto play = [](Client& client) -> asio::awaitable<void> {
        EXPECT_EQ(co_await echo(client, "by name"), "by name");
    };
    with_client(parse_url("redis://localhost:" + std::to_string(server.tcp_port())).value(), play);
}

TEST(Client, ReadsTypedReplies) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const std::string binary("\0\r\n\xff", 4);
        EXPECT_TRUE(
            (co_await client.execute_as<bool>(Command("SET", "k", binary), soon())).value());
        const auto got = co_await client.execute_as<std::string>(Command("GET", "k"), soon());
        EXPECT_EQ(got.value(), binary);
        const auto nil =
            co_await client.execute_as<std::optional<std::string>>(Command("GET", "no"), soon());
        EXPECT_EQ(nil.value(), std::nullopt);
        const Command set("HSET", "h", "a", 1, "b", 2);
        EXPECT_EQ((co_await client.execute_as<std::int64_t>(set, soon())).value(), 2);
        using Fields = std::map<std::string, std::string>;
        const auto fields = co_await client.execute_as<Fields>(Command("HGETALL", "h"), soon());
        EXPECT_EQ(fields.value(), (Fields{{"a", "1"}, {"b", "2"}}));
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(Client, CarriesLargeValues) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        std::string large(8 * 1024 * 1024, 'x');
        EXPECT_EQ(co_await echo(client, large), large);
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(Client, SelectsItsDatabase) {
    RedisServer server;
    auto write = [](Client& client) -> asio::awaitable<void> {
        (co_await client.execute(Command("SET", "k", "in 5"), soon())).value();
    };
    with_client(parse_url(server.url() + "?db=5").value(), write);
    auto look = [](Client& client) -> asio::awaitable<void> {
        EXPECT_TRUE((co_await client.execute(Command("GET", "k"), soon())).value().is_nil());
        (co_await client.execute(Command("SELECT", 5), soon())).value();
        EXPECT_EQ((co_await client.execute(Command("GET", "k"), soon())).value().text(), "in 5");
    };
    with_client(parse_url(server.url()).value(), look);
}

TEST(Client, ShowsItsName) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const Command name("CLIENT", "GETNAME");
        EXPECT_EQ((co_await client.execute_as<std::string>(name, soon())).value(), "worker-7");
    };
    with_client(parse_url(server.url() + "?client_name=worker-7").value(), play);
}

TEST(Client, ReturnsErrorRepliesAsErrors) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        (co_await client.execute(Command("SET", "k", "text"), soon())).value();
        const auto wrong = co_await client.execute(Command("LPUSH", "k", "x"), soon());
        EXPECT_EQ(wrong.error().kind, ErrorKind::invalid);
        EXPECT_THAT(wrong.error().message, HasSubstr("WRONGTYPE"));
        EXPECT_EQ(client.metrics().errors_of(ErrorKind::invalid), 1U);
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(Client, AnswersAPipelineInOrderWithItsErrors) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        std::vector<Command> commands;
        commands.emplace_back("SET", "k", "1");
        commands.emplace_back("LPUSH", "k", "x");
        commands.emplace_back("INCR", "k");
        const auto replies = (co_await client.pipeline(std::move(commands), soon())).value();
        EXPECT_EQ(replies.size(), 3U);
        EXPECT_EQ(replies.at(0), Reply::status("OK"));
        EXPECT_TRUE(replies.at(1).is_error());
        EXPECT_EQ(replies.at(2), Reply::integer(2));
        EXPECT_EQ((co_await client.pipeline({}, soon())).error().kind, ErrorKind::invalid);
    };
    with_client(parse_url(server.url()).value(), play);
}

asio::awaitable<void> check_echo(Client& client, std::string text, int& done) {
    EXPECT_EQ(co_await echo(client, text), text);
    ++done;
}

TEST(Client, WritesConcurrentCommandsTogether) {
    constexpr int kCommands = 2000;
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, parse_url(server.url()).value());
    int done = 0;
    auto play = [&]() -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        (co_await client.ready(soon())).value();
        for (int i = 0; i < kCommands; ++i)
            asio::co_spawn(executor, check_echo(client, std::to_string(i), done),
                           [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
        co_await echo(client, "the last");
    };
    run_scene(context, {&client}, play());
    EXPECT_EQ(done, kCommands);
    EXPECT_EQ(client.metrics().commands, kCommands + 1U);
    EXPECT_LE(client.metrics().writes, kCommands / 100U);
}

TEST(Client, LetsOthersGoOnAfterADeadlineAndDropsTheLateReply) {
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, parse_url(server.url()).value());
    Client other(context.get_executor(), clock, parse_url(server.url()).value());
    auto play = [&]() -> asio::awaitable<void> {
        const auto blocked = co_await client.execute(Command("BLPOP", "list", 0), in(50ms));
        EXPECT_EQ(blocked.error().kind, ErrorKind::timeout);
        EXPECT_THAT(blocked.error().message, HasSubstr("may have run"));
        (co_await other.execute(Command("LPUSH", "list", "x"), soon())).value();
        EXPECT_EQ(co_await echo(client, "mine"), "mine");
        EXPECT_EQ(client.metrics().late_replies, 1U);
        EXPECT_EQ(client.metrics().connects, 1U);
    };
    run_scene(context, {&client, &other}, play());
}

asio::awaitable<Result<Reply>> blocking_pop(Client& client) {
    co_return co_await client.execute(Command("BLPOP", "list", 0), async::kNever);
}

TEST(Client, LetsOthersGoOnAfterACancellationAndDropsTheLateReply) {
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, parse_url(server.url()).value());
    Client other(context.get_executor(), clock, parse_url(server.url()).value());
    auto play = [&]() -> asio::awaitable<void> {
        const auto blocked = co_await async::with_deadline(clock, in(50ms), blocking_pop(client));
        EXPECT_EQ(blocked.error().kind, ErrorKind::timeout);
        EXPECT_EQ(client.metrics().errors_of(ErrorKind::cancelled), 1U);
        (co_await other.execute(Command("LPUSH", "list", "x"), soon())).value();
        EXPECT_EQ(co_await echo(client, "mine"), "mine");
        EXPECT_EQ(client.metrics().late_replies, 1U);
    };
    run_scene(context, {&client, &other}, play());
}

TEST(Client, ThrowsToACallerWhoIsCancelled) {
    RedisServer server;
    asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, parse_url(server.url()).value());
    asio::cancellation_signal signal;
    std::exception_ptr thrown;
    auto play = [&]() -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        (co_await client.ready(soon())).value();
        asio::co_spawn(executor, blocking_pop(client),
                       asio::bind_cancellation_slot(signal.slot(),
                                                    [&](std::exception_ptr failure, Result<Reply>) {
                                                        thrown = std::move(failure);
                                                    }));
        while (client.metrics().commands == 0)
            co_await asio::post(executor, asio::use_awaitable);
        signal.emit(asio::cancellation_type::terminal);
        while (!thrown)
            co_await asio::post(executor, asio::use_awaitable);
    };
    run_scene(context, {&client}, play());
    EXPECT_THROW(std::rethrow_exception(thrown), boost::system::system_error);
}

TEST(Client, RefusesAPastDeadlineWithoutSending) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        (co_await client.ready(soon())).value();
        const auto late = co_await client.execute(Command("SET", "k", "v"), in(-1ms));
        EXPECT_EQ(late.error().kind, ErrorKind::timeout);
        EXPECT_TRUE((co_await client.execute(Command("GET", "k"), soon())).value().is_nil());
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(Client, RefusesMoreThanMayBePending) {
    Config config = quick_config("unix:///nonexistent/redis.sock");
    config.limits.max_requests = 0;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const auto refused = co_await client.execute(Command("PING"), soon());
        EXPECT_EQ(refused.error().kind, ErrorKind::rate_limited);
    };
    with_client(config, play);
}

TEST(Client, DropsTheConnectionForAReplyThatIsTooLarge) {
    RedisServer server;
    Config config = quick_config(server.url());
    config.reply_limits.max_bytes = 1000;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const Command large("ECHO", std::string(2000, 'x'));
        const auto lost = co_await client.execute(large, soon());
        EXPECT_EQ(lost.error().kind, ErrorKind::too_large);
        EXPECT_THAT(lost.error().message, HasSubstr("more than 1000 bytes"));
        EXPECT_EQ(co_await echo(client, "goes on"), "goes on");
    };
    with_client(config, play);
}

TEST(Client, IsNotTakenForDeadWhileItBlocks) {
    RedisServer server;
    Config config = quick_config(server.url());
    config.ping_interval = 10ms;
    config.ping_timeout = 10ms;
    config.longest_block = 60s;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const auto nothing = co_await client.execute(Command("BLPOP", "list", "0.3"), soon());
        EXPECT_TRUE(nothing.value().is_nil());
        EXPECT_EQ(client.metrics().connects, 1U);
    };
    with_client(config, play);
}

}  // namespace
}  // namespace evalfleet::redis
