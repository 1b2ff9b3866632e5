#pragma once

#include "common/queue/functions_text.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/queue/run_queue.hpp"
#include "common/queue/worker_queue.hpp"
#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::queue {

using redis::soon;

/// Everything that touches the queue, over one connection to a real redis-server.
struct Queues {
    explicit Queues(redis::Client& client_)
        : client(client_),
          functions(client_, redis::parse_library(std::string(functions_text())).value()) {}

    RunQueue run(const std::string& id, std::uint64_t epoch = 1) {
        return {client, functions, keys, id, epoch};
    }
    WorkerQueue worker(const std::string& name) { return {functions, keys, name}; }

    redis::Client& client;
    redis::FunctionLibrary functions;
    Keys keys;
    PoolQueue pool{functions, keys};
};

inline constexpr std::chrono::milliseconds kLease{30'000};
/// A lease that is over before it began.
inline constexpr std::chrono::milliseconds kNoLease{-1};

/// Of the workers here; runs without needs ask for none.
inline const std::vector<std::string> kProviders{"main", "judge"};

/// Jobs with the indexes `from` to `to - 1`, each with the payload "p<index>".
inline std::vector<NewJob> jobs(std::uint64_t from, std::uint64_t to) {
    std::vector<NewJob> all;
    for (std::uint64_t i = from; i < to; ++i)
        all.push_back({i, "p" + std::to_string(i)});
    return all;
}

/// Runs `play(Queues&)` against a server of its own.
inline void play_queue(boost::asio::awaitable<void> (*play)(Queues&)) {
    testing::RedisServer server;
    struct Scene {
        static boost::asio::awaitable<void> set(redis::Client& client,
                                                boost::asio::awaitable<void> (*play)(Queues&)) {
            Queues queues(client);
            co_await play(queues);
        }
    };
    const auto scene = [play](redis::Client& client) { return Scene::set(client, play); };
    redis::with_client(redis::parse_url(server.url()).value(), scene);
}

/// A run that takes jobs, with `count` of them in its window. (Arguments of awaited calls are named
/// throughout: GCC 12 destroys a braced temporary there twice.)
inline boost::asio::awaitable<void> open_run(RunQueue& run, std::uint64_t count, RunTerms terms) {
    (co_await run.own(std::move(terms), soon())).value();
    if (count == 0) co_return;
    std::vector<NewJob> all = jobs(0, count);
    (co_await run.enqueue(std::move(all), 1'000'000, soon())).value();
}

inline boost::asio::awaitable<void> open_run(RunQueue& run, std::uint64_t count) {
    return open_run(run, count, RunTerms());
}

}  // namespace evalfleet::queue
