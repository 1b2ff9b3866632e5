#include "common/redis/function_library.hpp"

#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using testing::RedisServer;

LibraryText library(int version, const std::string& answer) {
    return parse_library(
               "#!lua name=lib\n-- version: " + std::to_string(version) +
               "\n-- serves: 1\nredis.register_function('who', function(keys, args) return '" +
               answer + "' .. keys[1] .. args[1] end)\n")
        .value();
}

asio::awaitable<std::string> who(FunctionLibrary& functions) {
    // Named, since GCC 12 cannot keep a braced list across an await.
    const std::vector<std::string> keys{" k"};
    const std::vector<std::string> arguments{" a"};
    Result<Reply> reply = co_await functions.call("who", keys, arguments, soon());
    co_return as<std::string>(std::move(reply.value())).value();
}

TEST(FunctionLibrary, IsLoadedOnceAndThenKept) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        FunctionLibrary functions(client, library(1, "one"));
        EXPECT_EQ((co_await functions.ensure_loaded(soon())).value(), 1);
        EXPECT_EQ((co_await functions.ensure_loaded(soon())).value(), 1);
        EXPECT_EQ(co_await who(functions), "one k a");
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(FunctionLibrary, ReplacesAnOlderOneAndOneThatDiffers) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        FunctionLibrary old(client, library(1, "old"));
        FunctionLibrary fresh(client, library(2, "fresh"));
        FunctionLibrary changed(client, library(2, "changed"));
        (co_await old.ensure_loaded(soon())).value();
        EXPECT_EQ((co_await fresh.ensure_loaded(soon())).value(), 2);
        EXPECT_EQ(co_await who(old), "fresh k a");
        (co_await changed.ensure_loaded(soon())).value();
        EXPECT_EQ(co_await who(old), "changed k a");
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(FunctionLibrary, LeavesANewerOneInPlace) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        FunctionLibrary old(client, library(1, "old"));
        FunctionLibrary fresh(client, library(2, "fresh"));
        (co_await fresh.ensure_loaded(soon())).value();
        EXPECT_EQ((co_await old.ensure_loaded(soon())).value(), 2);
        EXPECT_EQ(co_await who(old), "fresh k a");
    };
    with_client(parse_url(server.url()).value(), play);
}

// A library that breaks with the past has other names for its functions: whoever is too old finds
// none, and says why.
TEST(FunctionLibrary, ACallerThatANewerOneDoesNotServeIsToldToBeUpgraded) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        FunctionLibrary old(client, library(1, "old"));
        EXPECT_EQ(co_await who(old), "old k a");
        const LibraryText text =
            parse_library(
                "#!lua name=lib\n-- version: 3\n-- serves: 2\n"
                "redis.register_function('who2', function() return 'new' end)\n")
                .value();
        FunctionLibrary fresh(client, text);
        EXPECT_EQ((co_await fresh.ensure_loaded(soon())).value(), 3);
        const std::vector<std::string> none;
        const auto refused = co_await old.call("who", none, none, soon());
        EXPECT_EQ(refused.error().kind, ErrorKind::denied);
        EXPECT_EQ(refused.error().message,
                  "Redis has version 3 of the function library 'lib', which serves programs from "
                  "version 2 on; this one has version 1: upgrade it");
        EXPECT_TRUE(co_await fresh.call("who2", none, none, soon())) << "it was taken away";
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(FunctionLibrary, ComesBackAfterAFlushAndAfterARestart) {
    RedisServer server;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        FunctionLibrary functions(client, library(1, "here"));
        EXPECT_EQ(co_await who(functions), "here k a");
        (co_await client.execute(Command("FUNCTION", "FLUSH"), soon())).value();
        EXPECT_EQ(co_await who(functions), "here k a");
        server.restart();
        co_await await_state(client, [](const auto& s) { return s.connects == 2; });
        EXPECT_EQ(co_await who(functions), "here k a");
    };
    with_client(quick_config(server.url()), play);
}

asio::awaitable<void> count_who(FunctionLibrary& functions, int& done) {
    EXPECT_EQ(co_await who(functions), "here k a");
    ++done;
}

TEST(FunctionLibrary, IsLoadedOnceForAllWhoMissIt) {
    constexpr int kCallers = 100;
    RedisServer server;
    int done = 0;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        FunctionLibrary functions(client, library(1, "here"));
        for (int i = 0; i < kCallers; ++i)
            asio::co_spawn(executor, count_who(functions, done),
                           [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
        while (done < kCallers)
            co_await echo(client, "wait");
        const Command stats("INFO", "commandstats");
        const auto text = (co_await client.execute_as<std::string>(stats, soon())).value();
        EXPECT_THAT(text, ::testing::HasSubstr("cmdstat_function|load:calls=1,"));
    };
    with_client(parse_url(server.url()).value(), play);
}

TEST(FunctionLibrary, ReportsCodeThatDoesNotCompile) {
    RedisServer server;
    auto play = [](Client& client) -> asio::awaitable<void> {
        FunctionLibrary broken(client, parse_library("#!lua name=lib\n-- version: 1\n(").value());
        const auto failed = co_await broken.ensure_loaded(soon());
        EXPECT_EQ(failed.error().kind, ErrorKind::invalid);
        EXPECT_THAT(failed.error().message, ::testing::HasSubstr("function library 'lib'"));
        const auto unknown = co_await broken.call("who", {}, {}, soon());
        EXPECT_FALSE(unknown);
    };
    with_client(parse_url(server.url()).value(), play);
}

/// A server with a user who may call functions and look at them, but load none.
class ClosedLibrary : public ::testing::Test {
  protected:
    void as(const std::string& credentials, const Play& play) {
        with_client(quick_config("unix://" + credentials + server_.socket_path().string()), play);
    }
    void load(const LibraryText& text) {
        const Play play = [&](Client& client) -> asio::awaitable<void> {
            FunctionLibrary functions(client, text);
            EXPECT_TRUE(co_await functions.ensure_loaded(soon()));
        };
        as("", play);
    }
    /// What a call ends with.
    Result<Reply> call(const LibraryText& text) {
        Result<Reply> reply = Error{ErrorKind::internal, "not called"};
        const std::vector<std::string> keys{" k"};
        const std::vector<std::string> arguments{" a"};
        const Play play = [&](Client& client) -> asio::awaitable<void> {
            FunctionLibrary functions(client, text);
            reply = co_await functions.call("who", keys, arguments, soon());
        };
        as("runtime:p@", play);
        return reply;
    }

    RedisServer server_{{.arguments = {"--user", "runtime", "on", ">p", "~*", "+fcall",
                                       "+function|list", "+ping"}}};
};

TEST_F(ClosedLibrary, IsNamedByWhoMissesItAndMayNotLoadIt) {
    const auto missing = call(library(2, "ours"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::transient) << "somebody may load it any time";
    EXPECT_THAT(missing.error().message,
                ::testing::StartsWith("function library 'lib': found nothing, needed: version 2, "
                                      "sha256 "));
    EXPECT_THAT(missing.error().message, ::testing::HasSubstr("evalfleet functions load"));
}

TEST_F(ClosedLibrary, IsNotCalledIfItIsOlderOrDiffers) {
    load(library(1, "old"));
    const auto old = call(library(2, "ours"));
    ASSERT_FALSE(old);
    EXPECT_THAT(old.error().message, ::testing::HasSubstr("found version 1, sha256 "));
    load(library(2, "changed"));
    const auto changed = call(library(2, "ours"));
    ASSERT_FALSE(changed) << "by somebody who had the right version number";
    const std::string hash = library_hash(library(2, "changed").code).substr(0, 12);
    EXPECT_THAT(changed.error().message, ::testing::HasSubstr("found version 2, sha256 " + hash));
}

TEST_F(ClosedLibrary, IsCalledIfItIsTheSameOrNewer) {
    load(library(2, "ours"));
    EXPECT_TRUE(call(library(2, "ours")));
    EXPECT_TRUE(call(library(1, "older program")));
}

}  // namespace
}  // namespace evalfleet::redis
