#include "tests/integration/redis/scenario.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::RedisServer;

std::string address_of(const RedisServer& server) {
    return "127.0.0.1:" + std::to_string(server.tcp_port());
}

/// A sentinel that watches one master under the name `main`.
class Sentinel {
  public:
    explicit Sentinel(const RedisServer& master)
        : process_({"/usr/bin/env", "redis-server",
                    write_config(folder_, master, port_server_.tcp_port()), "--sentinel"},
                   folder_ / "log") {}

    [[nodiscard]] std::string address() const { return address_of(port_server_); }

  private:
    // The port is one that a server of ours had until just now.
    static std::string write_config(const testing::TemporaryFolder& folder,
                                    const RedisServer& master, std::uint16_t port) {
        const std::string path = folder / "sentinel.conf";
        std::ofstream(path) << "port " << port << "\nbind 127.0.0.1\ndir " << folder.path().string()
                            << "\nsentinel monitor main 127.0.0.1 " << master.tcp_port()
                            << " 1\nsentinel down-after-milliseconds main 500\n"
                               "sentinel failover-timeout main 5000\n";
        return path;
    }

    struct PortOfAnEndedServer : RedisServer {
        PortOfAnEndedServer() : RedisServer(Options{.has_tcp = true}) { kill(); }
    };

    testing::TemporaryFolder folder_;
    PortOfAnEndedServer port_server_;
    testing::Process process_;
};

/// Asks again and again until the answer is as wished; false if that takes too long.
asio::awaitable<bool> eventually(Client& client, Command question,
                                 std::function<bool(const Result<Reply>&)> is_good) {
    async::SystemClock clock;
    for (int i = 0; i < 1200; ++i) {
        const Result<Reply> reply = co_await client.execute(question, soon());
        if (is_good(reply)) co_return true;
        co_await clock.wait_for(50ms);
    }
    co_return false;
}

bool has_one_element(const Result<Reply>& reply) {
    return reply && reply->type() == Reply::Type::array && reply->items().size() == 1;
}

bool is_ok(const Result<Reply>& reply) {
    return reply && *reply == Reply::status("OK");
}

void await_replica(const Sentinel& sentinel) {
    auto play = [](Client& client) -> asio::awaitable<void> {
        const Command question("SENTINEL", "REPLICAS", "main");
        const bool is_known = co_await eventually(client, question, has_one_element);
        EXPECT_TRUE(is_known);
    };
    with_client(quick_config("redis://" + sentinel.address()), play);
}

TEST(SentinelDiscovery, FollowsTheMasterOverAFailover) {
    RedisServer master({.has_tcp = true});
    RedisServer replica(
        {.has_tcp = true,
         .arguments = {"--replicaof", "127.0.0.1 " + std::to_string(master.tcp_port())}});
    const Sentinel sentinel(master);
    await_replica(sentinel);
    auto play = [&](Client& client) -> asio::awaitable<void> {
        const auto role = (co_await client.execute(Command("ROLE"), soon())).value();
        EXPECT_EQ(role.items().front(), Reply::string("master"));
        master.kill();
        const Command write("SET", "key", "after");
        const bool is_written = co_await eventually(client, write, is_ok);
        EXPECT_TRUE(is_written);
    };
    // The first of the seeds is nobody: the next one is asked.
    with_client(quick_config("redis+sentinel://127.0.0.1:1," + sentinel.address() + "/main"), play);
    auto look = [](Client& client) -> asio::awaitable<void> {
        const auto value = co_await client.execute_as<std::string>(Command("GET", "key"), soon());
        EXPECT_EQ(value.value(), "after");
    };
    with_client(quick_config(replica.tcp_url()), look);
}

TEST(SentinelDiscovery, TellsWhatEachSentinelSaid) {
    RedisServer master({.has_tcp = true});
    const Sentinel sentinel(master);
    auto play = [](Client& client) -> asio::awaitable<void> {
        const auto knows_reason = [](const ConnectionState& state) {
            return state.last_error &&
                   state.last_error->message.find("no master 'other'") != std::string::npos;
        };
        const ConnectionState state = co_await await_state(client, knows_reason);
        EXPECT_THAT(state.last_error->message, HasSubstr("127.0.0.1:1: "));
    };
    with_client(quick_config("redis+sentinel://" + sentinel.address() + ",127.0.0.1:1/other"),
                play);
}

/// Two nodes that know each other; the first holds all slots.
class Cluster {
  public:
    Cluster() {
        auto play = [this](Client& client) -> asio::awaitable<void> {
            (co_await client.execute(Command("CLUSTER", "ADDSLOTSRANGE", 0, 16383), soon()))
                .value();
            (co_await client.execute(Command("CLUSTER", "MEET", "127.0.0.1", second_.tcp_port()),
                                     soon()))
                .value();
            const bool is_up = co_await eventually(client, Command("SET", "{main}", "1"), is_ok);
            EXPECT_TRUE(is_up);
        };
        with_client(quick_config(first_.tcp_url()), play);
    }

    [[nodiscard]] const RedisServer& first() const { return first_; }
    [[nodiscard]] const RedisServer& second() const { return second_; }

    /// Gives a slot to the second node.
    void move(std::int64_t slot) const {
        std::string id;
        auto ask = [&id](Client& client) -> asio::awaitable<void> {
            id = (co_await client.execute_as<std::string>(Command("CLUSTER", "MYID"), soon()))
                     .value();
        };
        with_client(quick_config(second_.tcp_url()), ask);
        auto give = [&id, slot](Client& client) -> asio::awaitable<void> {
            const Command question("CLUSTER", "SETSLOT", slot, "NODE", id);
            const bool is_given = co_await eventually(client, question, is_ok);
            EXPECT_TRUE(is_given);
        };
        with_client(quick_config(second_.tcp_url()), give);
        with_client(quick_config(first_.tcp_url()), give);
    }

  private:
    RedisServer first_{{.has_tcp = true, .arguments = {"--cluster-enabled", "yes"}}};
    RedisServer second_{{.has_tcp = true, .arguments = {"--cluster-enabled", "yes"}}};
};

TEST(ClusterDiscovery, TalksToTheNodeThatHoldsTheSlotAndFollowsItWhenItMoves) {
    const Cluster cluster;
    auto play = [&](Client& client) -> asio::awaitable<void> {
        const Command write("SET", "ef:{other}:key", "value");
        (co_await client.execute(write, soon())).value();
        (co_await client.execute(Command("DEL", "ef:{other}:key"), soon())).value();
        const auto slot = (co_await client.execute_as<std::int64_t>(
                               Command("CLUSTER", "KEYSLOT", "other"), soon()))
                              .value();
        cluster.move(slot);
        const bool is_written = co_await eventually(client, write, is_ok);
        EXPECT_TRUE(is_written);
        EXPECT_GE(client.state().connects, 2U);
    };
    Config config = quick_config("redis+cluster://" + address_of(cluster.first()));
    config.discovery->key = "ef:{other}";
    with_client(config, play);
}

TEST(ClusterDiscovery, FindsTheNodeByAskingAnyOther) {
    const Cluster cluster;
    auto play = [](Client& client) -> asio::awaitable<void> {
        const Command write("SET", "ef:{main}:key", "value");
        const bool is_written = co_await eventually(client, write, is_ok);
        EXPECT_TRUE(is_written);
    };
    with_client(quick_config("redis+cluster://" + address_of(cluster.second())), play);
}

}  // namespace
}  // namespace evalfleet::redis
