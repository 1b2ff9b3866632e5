#include "tests/support/redis_pair.hpp"

#include "tests/support/redis_commander.hpp"

#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

namespace evalfleet::testing {

namespace {

using redis::Command;

RedisServer::Options server_options(RedisPair::Kind kind) {
    RedisServer::Options options{.has_tcp = true};
    if (kind == RedisPair::Kind::cluster)
        options.arguments = {"--cluster-enabled", "yes", "--cluster-node-timeout", "2000"};
    return options;
}

void await(const std::string& what, const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
        if (condition()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw std::runtime_error("did not come about: " + what);
}

// One that becomes master ends its connections meanwhile.
bool info_has(const RedisServer& server, const std::string& section, const std::string& line) {
    try {
        return blocking_command(server.url(), Command("INFO", section)).text().find(line) !=
               std::string::npos;
    } catch (const std::exception&) {
        return false;
    }
}

std::string address(const RedisServer& server) {
    return "127.0.0.1:" + std::to_string(server.tcp_port());
}

// The port is one that a server of ours had until just now.
std::uint16_t find_port() {
    return RedisServer({.has_tcp = true}).tcp_port();
}

}  // namespace

RedisPair::RedisPair(Kind kind)
    : kind_(kind), first_(server_options(kind)), second_(server_options(kind)) {
    if (kind_ == Kind::cluster)
        join_cluster();
    else
        (void)blocking_command(second_.url(), Command("REPLICAOF", "127.0.0.1", first_.tcp_port()));
    await("replication", [&] {
        return info_has(second_, "replication", "master_link_status:up") &&
               info_has(first_, "replication", "state=online");
    });
    if (kind_ == Kind::sentinel) start_sentinel();
}

void RedisPair::join_cluster() {
    (void)blocking_command(first_.url(), Command("CLUSTER", "ADDSLOTSRANGE", 0, 16383));
    (void)blocking_command(second_.url(),
                           Command("CLUSTER", "MEET", "127.0.0.1", first_.tcp_port()));
    const std::string id = blocking_command(first_.url(), Command("CLUSTER", "MYID")).text();
    const Command replicate("CLUSTER", "REPLICATE", id);
    if (!blocking_await_command(second_.url(), replicate))
        throw std::runtime_error("the second node knows nothing of the first");
    await("a cluster", [&] {
        const Command state("CLUSTER", "INFO");
        return blocking_command(first_.url(), state).text().find("cluster_state:ok") !=
               std::string::npos;
    });
}

// Patient after a failover, so that it leaves the replica as it is meanwhile.
void RedisPair::start_sentinel() {
    sentinel_port_ = find_port();
    const std::string config = folder_ / "sentinel.conf";
    std::ofstream(config) << "port " << sentinel_port_ << "\nbind 127.0.0.1\ndir "
                          << folder_.path().string() << "\nsentinel monitor main 127.0.0.1 "
                          << first_.tcp_port()
                          << " 1\nsentinel down-after-milliseconds main 1500\n"
                             "sentinel failover-timeout main 60000\n";
    sentinel_.emplace(std::vector<std::string>{"redis-server", config, "--sentinel"},
                      folder_ / "sentinel.log");
    const std::string url = sentinel_url();
    const Command replicas("SENTINEL", "REPLICAS", "main");
    if (!blocking_await_command(url, Command("PING")))
        throw std::runtime_error("the sentinel does not answer: " + sentinel_->output());
    await("a sentinel that knows the replica",
          [&] { return !blocking_command(url, replicas).items().empty(); });
}

std::string RedisPair::sentinel_url() const {
    return "redis://127.0.0.1:" + std::to_string(sentinel_port_);
}

std::string RedisPair::url() const {
    if (kind_ == Kind::cluster)
        return "redis+cluster://" + address(first_) + "," + address(second_);
    return "redis+sentinel://127.0.0.1:" + std::to_string(sentinel_port_) + "/main";
}

// It may not be able to take the replica yet, be about to, or have taken it already.
void RedisPair::tell_sentinel() {
    try {
        (void)blocking_command(sentinel_url(), Command("SENTINEL", "FAILOVER", "main"));
    } catch (const std::exception&) {
        // Who is the master then says what came of it.
    }
}

// The first one refuses to be replicated, and ends the connection over which it was.
void RedisPair::let_replica_lag(Lag lag) {
    must_tell_sentinel_ = sentinel_ && lag == Lag::any_length;
    // Ten times this may the replica have heard nothing.
    if (must_tell_sentinel_)
        (void)blocking_command(
            sentinel_url(), Command("SENTINEL", "SET", "main", "down-after-milliseconds", 600000));
    std::vector<Command> commands;
    commands.emplace_back("ACL", "SETUSER", "default", "-psync", "-sync");
    commands.emplace_back("CLIENT", "KILL", "TYPE", "replica");
    (void)blocking_command(first_.url(), std::move(commands));
}

void RedisPair::fail_over() {
    first_.kill();
    if (kind_ == Kind::cluster)
        (void)blocking_command(second_.url(), Command("CLUSTER", "FAILOVER", "TAKEOVER"));
    try {
        await("another master", [&] {
            if (must_tell_sentinel_) tell_sentinel();
            return info_has(second_, "replication", "role:master");
        });
    } catch (const std::exception& failed) {
        throw std::runtime_error(failed.what() + (sentinel_ ? "\n" + sentinel_->output() : ""));
    }
    // Any write of ours will do; the queue's keys hold the same tag, so the slot is the same.
    if (!blocking_await_command(second_.url(), Command("SET", "{main}", "1", "PX", 1)))
        throw std::runtime_error("the new master takes no writes");
}

}  // namespace evalfleet::testing
