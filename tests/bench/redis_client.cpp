// Commands a second of one Redis client that many coroutines share, against redis-benchmark with
// the same number of commands in its pipeline, on the same private server and in the same run.
#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/async/task_group.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace evalfleet;

namespace {

constexpr int kCommands = 300'000;
constexpr int kValueBytes = 64;
constexpr double kLeastShare = 0.10;  // of what redis-benchmark does

struct Measurement {
    double commands_per_second = 0;
    double commands_per_write = 0;
};

asio::awaitable<void> set_many(redis::Client& client, int count) {
    const std::string value(kValueBytes, 'x');
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    for (int i = 0; i < count; ++i)
        (co_await client.execute(redis::Command("SET", "key", value), deadline)).value();
}

/// Runs `callers` coroutines to their end.
asio::awaitable<void> set_from_many(redis::Client& client, int callers, Measurement& measured) {
    const auto executor = co_await asio::this_coro::executor;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    (co_await client.ready(deadline)).value();
    const auto start = std::chrono::steady_clock::now();
    async::TaskGroup group(
        executor, [](const std::exception_ptr& failure) { std::rethrow_exception(failure); });
    for (int i = 0; i < callers; ++i)
        group.spawn(set_many(client, kCommands / callers));
    co_await group.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const redis::ClientMetrics metrics = client.metrics();
    measured.commands_per_second = double(metrics.commands) / took.count();
    measured.commands_per_write = double(metrics.commands) / double(metrics.writes);
}

Measurement measure_client(const testing::RedisServer& server, int callers) {
    asio::io_context context(1);
    async::SystemClock clock;
    redis::Client client(context.get_executor(), clock, redis::parse_url(server.url()).value());
    Measurement measured;
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(client.run());
    roles.push_back(set_from_many(client, callers, measured));
    (void)testing::run(context, async::run_all(std::move(roles)));
    return measured;
}

/// Empty if redis-benchmark is not installed.
std::optional<double> measure_redis_benchmark(const testing::RedisServer& server, int pipeline) {
    const std::string line =
        fmt::format("redis-benchmark -s {} -n {} -c 1 -P {} -d {} -t set --csv 2>/dev/null",
                    server.socket_path().string(), kCommands, pipeline, kValueBytes);
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(line.c_str(), "r"), pclose);
    char buffer[512];
    while (output && std::fgets(buffer, sizeof buffer, output.get()) != nullptr) {
        double rate = 0;
        if (std::sscanf(buffer, "\"SET\",\"%lf\"", &rate) == 1) return rate;
    }
    return std::nullopt;
}

}  // namespace

int main() {
    bool is_fast_enough = true;
    std::string rows;
    for (const int callers : {1, 16, 256, 4096}) {
        const testing::RedisServer server;
        const Measurement ours = measure_client(server, callers);
        const auto theirs = measure_redis_benchmark(server, callers);
        const double share = theirs ? ours.commands_per_second / *theirs : 1;
        is_fast_enough = is_fast_enough && share >= kLeastShare;
        rows += fmt::format(
            R"({}{{"callers":{},"commands_per_second":{:.0f},"commands_per_write":{:.1f},)"
            R"("redis_benchmark_per_second":{},"share":{:.3f}}})",
            rows.empty() ? "" : ",", callers, ours.commands_per_second, ours.commands_per_write,
            theirs ? fmt::format("{:.0f}", *theirs) : "null", share);
    }
    fmt::print(R"({{"name":"redis_client","least_share":{},"runs":[{}],"passed":{}}})"
               "\n",
               kLeastShare, rows, is_fast_enough);
    return is_fast_enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
