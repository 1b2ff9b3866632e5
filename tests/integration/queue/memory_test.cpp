#include "tests/integration/queue/queue_scenario.hpp"

/// A Redis at its memory limit: everything goes on but what would fill it further.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> fill(Queues& queues) {
    const redis::Command limit("CONFIG", "SET", "maxmemory",
                               "1mb");  // less than it uses when empty
    (co_await queues.client.execute(limit, soon())).value();
}

TEST(FullRedis, TakesNoMoreJobs) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        co_await fill(queues);
        std::vector<NewJob> more = jobs(1, 2);
        const auto refused = co_await run.enqueue(std::move(more), 9, soon());
        EXPECT_EQ(refused.error().kind, ErrorKind::too_large);
        EXPECT_THAT(refused.error().message, ::testing::HasSubstr("maxmemory"));
    });
}

TEST(FullRedis, LetsWorkersEndWhatTheyHold) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 4);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(4, kLease, kProviders, soon())).value();
        co_await fill(queues);
        std::vector<JobRef> held;
        for (const TakenJob& job : taken.jobs)
            held.push_back(job.ref);
        EXPECT_EQ((co_await worker.begun(held, soon())).value(), 4U);
        EXPECT_EQ((co_await worker.beat(held, kLease, soon())).value().at(0), Beat::held);
        EXPECT_EQ((co_await worker.done(held[0], "{}", soon())).value(), Delivery::finished);
        const std::chrono::milliseconds later{1};
        EXPECT_EQ((co_await worker.fail(held[1], later, 9, "no", soon())).value(),
                  Failure::delayed);
        const JobSetback setback{later, later, "past", "note"};
        EXPECT_EQ((co_await worker.setback(held[2], setback, soon())).value(), Failure::delayed);
        std::vector<JobRef> last{held[3]};
        EXPECT_EQ((co_await worker.release(last, soon())).value(), 1U);
        EXPECT_TRUE(co_await worker.leave(soon()));
    });
}

TEST(FullRedis, LetsACoordinatorTakeOverFetchRepairAndEndTheRun) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue old = queues.run("r");
        co_await open_run(old, 3);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(2, kNoLease, kProviders, soon())).value();
        (void)(co_await worker.done(taken.jobs[0].ref, "{}", soon())).value();
        co_await fill(queues);
        RunQueue run = queues.run("r", 2);
        const RunTerms terms;
        EXPECT_TRUE(co_await run.own(terms, soon()));
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().runs.at(0).results, 1U);
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
        constexpr std::chrono::milliseconds kPatience{1};
        const auto seen = (co_await run.results(queues.client, 10, kPatience, soon())).value();
        std::vector<std::string> ids{seen.at(0).id};
        EXPECT_TRUE(co_await run.acknowledge(std::move(ids), soon()));
        const std::vector<std::uint64_t> all{0, 1, 2};
        EXPECT_EQ((co_await run.absent(all, soon())).value().size(), 1U);
        EXPECT_EQ((co_await run.unheld(all, soon())).value().size(), 2U);
        EXPECT_EQ((co_await run.mend(all, soon())).value(), 2U);
        EXPECT_EQ((co_await run.remove(all, soon())).value(), 2U);
        EXPECT_TRUE(co_await run.set_state(RunState::done, soon()));
        EXPECT_TRUE((co_await queues.pool.stats(soon())).value().runs.empty());
    });
}

TEST(FullRedis, HandsAFewJobsOutOfARunWhoseResultsAreFetched) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 20);
        co_await fill(queues);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(20, kLease, kProviders, soon())).value();
        EXPECT_EQ(taken.jobs.size(), 8U);
        (void)(co_await worker.done(taken.jobs[0].ref, "{}", soon())).value();
        const Taken none = (co_await worker.take(20, kLease, kProviders, soon())).value();
        EXPECT_TRUE(none.jobs.empty()) << "its result waits";
        EXPECT_TRUE(none.passed_over);
        constexpr std::chrono::milliseconds kPatience{1};
        const auto seen = (co_await run.results(queues.client, 10, kPatience, soon())).value();
        std::vector<std::string> ids{seen.at(0).id};
        (co_await run.acknowledge(std::move(ids), soon())).value();
        EXPECT_EQ((co_await worker.take(20, kLease, kProviders, soon())).value().jobs.size(), 8U);
    });
}

}  // namespace
}  // namespace evalfleet::queue
