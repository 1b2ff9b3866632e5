#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/run_all.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/metrics/registry.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/worker_queue.hpp"
#include "coordinator/runs/auditor.hpp"
#include "coordinator/runs/collector.hpp"
#include "coordinator/runs/feeder.hpp"
#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::runs {

using redis::soon;

/// The roles of one run, with a real redis-server and a real log, and nothing around them. A test
/// starts the ones it is about and says what happens beside them.
class RunStage {
  public:
    explicit RunStage(std::uint64_t total, redis::ReplyLimits reply_limits = {})
        : book(total, {}), intake({"r", 1, total, {}, true}), blocking_limits_(reply_limits) {
        book.phase = RunPhase::running;
    }

    /// Runs `play` beside the roles that it named with `with`; the scene ends with it.
    void act(const std::function<boost::asio::awaitable<void>()>& play) {
        std::vector<boost::asio::awaitable<void>> all = std::move(roles_);
        all.push_back(open_and(play));
        redis::run_scene(context_, {&client, &blocking}, join(std::move(all)));
    }
    void with(boost::asio::awaitable<void> role) { roles_.push_back(std::move(role)); }

    Collector collector(Intake::ReadSample read_sample = no_sample) {
        return {{.patience = std::chrono::milliseconds(20)},
                book,
                run,
                blocking,
                durable,
                intake,
                std::move(read_sample),
                pool,
                pool,
                figures,
                clock,
                log::Logger()};
    }
    Feeder feeder(Feeder::ReadPayload read_payload) {
        return {{}, book, run, pool, std::move(read_payload), figures, clock, log::Logger()};
    }
    Auditor auditor(Auditor::Config config = {}) {
        return {std::move(config), book,  run,          client, [] { return queue::RunTerms(); },
                figures,           clock, log::Logger()};
    }

    /// Jobs that are out, as a feeder that has sent them leaves them.
    boost::asio::awaitable<void> issue(std::uint64_t count) {
        std::vector<queue::NewJob> jobs;
        for (std::uint64_t index = 0; index < count; ++index) {
            book.window.issue(index, 2);
            jobs.push_back({index, "{}"});
        }
        book.cursor = count;
        (co_await run.enqueue(std::move(jobs), 1'000'000, soon())).value();
    }

    /// What a worker hands on: the record of a trial, with an answer of so many bytes.
    boost::asio::awaitable<void> deliver(std::uint64_t index, std::size_t answer_bytes = 1) {
        job::TrialRecord record;
        record.run_id = "r";
        record.sample_index = static_cast<std::int64_t>(index);
        record.answer = std::string(answer_bytes, 'a');
        const queue::JobRef ref{"r", index, 1};
        (void)(co_await worker.done(ref, job::to_json(record), soon())).value();
    }

    /// Waits for the other roles; fails if that takes too long.
    boost::asio::awaitable<void> until(std::function<bool()> condition) {
        const async::TimePoint deadline = soon();
        while (!condition()) {
            if (clock.now() > deadline) throw std::runtime_error("waited in vain");
            co_await clock.wait_for(std::chrono::milliseconds(1));
        }
    }

    boost::asio::awaitable<std::int64_t> count_results() {
        const redis::Command count("XLEN", keys.results("r"));
        co_return (co_await client.execute_as<std::int64_t>(count, soon())).value();
    }

    static std::optional<job::Sample> no_sample(std::uint64_t /*sample_index*/) {
        return std::nullopt;
    }

    testing::RedisServer server;
    testing::TemporaryFolder folder;
    RunBook book;
    Intake intake;
    async::SystemClock clock;

  private:
    static boost::asio::awaitable<void> join(std::vector<boost::asio::awaitable<void>> all) {
        const std::size_t last = all.size() - 1;
        if (co_await async::run_all(std::move(all)) != last)
            throw std::logic_error("a role ended before the scene");
    }
    boost::asio::awaitable<void> open_and(std::function<boost::asio::awaitable<void>()> play) {
        co_await play();
    }
    [[nodiscard]] redis::Config blocking_config() const {
        redis::Config config = redis::quick_config(server.url());
        config.reply_limits = blocking_limits_;
        config.longest_block = std::chrono::milliseconds(100);
        return config;
    }

    redis::ReplyLimits blocking_limits_;
    boost::asio::io_context context_{1};
    std::vector<boost::asio::awaitable<void>> roles_;
    metrics::Registry registry_{"test"};

  public:
    RunsMetrics figures{registry_};
    async::BlockingPool pool{{.threads = 2, .max_queued = 16, .name = "test"}};
    redis::Client client{context_.get_executor(), clock, redis::quick_config(server.url())};
    redis::Client blocking{context_.get_executor(), clock, blocking_config()};
    redis::FunctionLibrary functions{
        client, redis::parse_library(std::string(queue::functions_text())).value()};
    queue::Keys keys;
    queue::RunQueue run{client, functions, keys, "r", 1};
    queue::WorkerQueue worker{functions, keys, "w"};
    store::DurableLog durable{
        store::DurableLog::blocking_open(folder / "log", [](const auto&, auto) {}).value()};
};

}  // namespace evalfleet::runs
