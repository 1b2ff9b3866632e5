#include "tests/integration/queue/queue_scenario.hpp"

#include <functional>

/// The server's clock steps, as it does when somebody sets it or another server takes over.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kStep{60'000};  // longer than a lease

using Step = std::function<void(milliseconds)>;

void play_with_clock(asio::awaitable<void> (*play)(Queues&, Step)) {
    testing::RedisServer server({.has_stepping_clock = true});
    const Step step = [&](milliseconds by) { server.step_clock(by); };
    const auto scene = [&](redis::Client& client) -> asio::awaitable<void> {
        Queues queues(client);
        co_await play(queues, step);
    };
    redis::with_client(redis::parse_url(server.url()).value(), scene);
}

TEST(QueueTime, AStepForwardEndsNoLease) {
    play_with_clock([](Queues& queues, Step step) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(1, kLease, kProviders, soon())).value();
        step(kStep);
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 0U);
        std::vector<JobRef> held{taken.jobs.at(0).ref};
        EXPECT_EQ((co_await worker.beat(held, kLease, soon())).value().at(0), Beat::held);
    });
}

TEST(QueueTime, AStepBackMakesNoLeaseLonger) {
    play_with_clock([](Queues& queues, Step step) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        constexpr milliseconds kShort{1};
        (void)(co_await worker.take(1, kShort, kProviders, soon())).value();
        step(-kStep);
        // Within the next milliseconds, not a minute later.
        std::uint64_t requeued = 0;
        while (requeued == 0)
            requeued = (co_await queues.pool.reap(10, soon())).value().requeued;
        EXPECT_EQ(requeued, 1U);
    });
}

TEST(QueueTime, AStepMakesNoDelayedJobDueAndForgetsNoWorker) {
    play_with_clock([](Queues& queues, Step step) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(1, kLease, kProviders, soon())).value();
        const std::vector<JobRef> nothing;
        (void)(co_await worker.beat(nothing, kLease, soon())).value();
        (void)(co_await worker.fail(taken.jobs.at(0).ref, kStep, 9, "later", soon())).value();
        step(kStep);
        const Taken none = (co_await worker.take(1, kLease, kProviders, soon())).value();
        EXPECT_TRUE(none.jobs.empty());
        EXPECT_GT(none.quiet_for.value(), kStep / 2);
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().workers, 1U);
    });
}

TEST(QueueTime, ASilenceIsNoTimeThatPassed) {
    play_with_clock([](Queues& queues, Step step) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        constexpr milliseconds kShort{4'000};
        (void)(co_await worker.take(1, kShort, kProviders, soon())).value();
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        step(kStep);
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U)
            << "some of it counts: whoever was away so long was away";
    });
}

}  // namespace
}  // namespace evalfleet::queue
