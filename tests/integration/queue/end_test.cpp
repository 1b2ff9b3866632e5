#include "common/queue/run_claim.hpp"
#include "tests/integration/queue/queue_scenario.hpp"

/// A run is over: what is left of it, and what its workers are told.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using ::testing::Each;
using ::testing::ElementsAre;

/// Every key of the run.
asio::awaitable<std::vector<std::string>> keys_of(Queues& queues) {
    const redis::Command list("KEYS", "ef:{main}:*:r");
    co_return (co_await queues.client.execute_as<std::vector<std::string>>(list, soon())).value();
}

asio::awaitable<std::int64_t> count(Queues& queues, redis::Command command) {
    co_return (co_await queues.client.execute_as<std::int64_t>(std::move(command), soon())).value();
}

/// Six jobs are in a worker's hands when the run ends.
asio::awaitable<std::vector<JobRef>> end_with_jobs_out(Queues& queues, WorkerQueue& worker) {
    RunQueue run = queues.run("r");
    RunTerms terms;
    terms.cost = {1'000'000, 10, 0, 0};
    co_await open_run(run, 6, terms);
    const Taken taken = (co_await worker.take(6, kLease, kProviders, soon())).value();
    (co_await run.set_state(RunState::done, soon())).value();
    std::vector<JobRef> refs;
    for (const TakenJob& job : taken.jobs)
        refs.push_back(job.ref);
    co_return refs;
}

TEST(QueueEnd, NothingThatAWorkerDoesLaterBringsAKeyOfTheRunBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        WorkerQueue worker = queues.worker("w");
        const std::vector<JobRef> refs = co_await end_with_jobs_out(queues, worker);
        std::vector<JobRef> begun{refs.at(0)};
        EXPECT_EQ((co_await worker.begun(begun, soon())).value(), 0U);
        const std::string why = "why";
        constexpr std::chrono::milliseconds kDelay{1};
        EXPECT_EQ((co_await worker.fail(refs.at(1), kDelay, 9, why, soon())).value(),
                  Failure::lost);
        EXPECT_EQ((co_await worker.fail(refs.at(2), kDelay, 1, why, soon())).value(),
                  Failure::lost);
        JobSetback setback;
        setback.delay = kDelay;
        EXPECT_EQ((co_await worker.setback(refs.at(3), setback, soon())).value(), Failure::lost);
        std::vector<JobRef> released{refs.at(4)};
        EXPECT_EQ((co_await worker.release(released, soon())).value(), 0U);
        EXPECT_EQ((co_await worker.done(refs.at(5), "record", soon())).value(), Delivery::dropped);
        (void)(co_await queues.pool.reap(10, soon())).value();
        EXPECT_THAT(co_await keys_of(queues), ElementsAre(queues.keys.run("r")));
        const redis::Command ttl("PTTL", queues.keys.run("r"));
        EXPECT_GT(co_await count(queues, ttl), 0);
        const redis::Command leases("ZCARD", "ef:{main}:lease");
        EXPECT_EQ(co_await count(queues, leases), 0) << "and nobody waits for its leases";
    });
}

TEST(QueueEnd, AWorkerIsToldToStopWhatNobodyWantsAnyMore) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        WorkerQueue worker = queues.worker("w");
        const std::vector<JobRef> refs = co_await end_with_jobs_out(queues, worker);
        EXPECT_THAT((co_await worker.beat(refs, kLease, soon())).value(), Each(Beat::cancelled));
        EXPECT_THAT((co_await worker.beat(refs, kLease, soon())).value(), Each(Beat::cancelled))
            << "also if it does not stop at once";
        EXPECT_THAT(co_await keys_of(queues), ElementsAre(queues.keys.run("r")));
    });
}

TEST(QueueEnd, ALaterOpeningOfTheRunSaysWhetherItGoesOn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue first = queues.run("r", 1);
        co_await open_run(first, 1);
        (co_await first.set_state(RunState::cancelled, soon())).value();
        const RunTerms terms;
        (co_await first.own(terms, soon())).value();
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().runs.at(0).state, "cancel")
            << "what is sent again does not take the cancellation back";
        RunQueue second = queues.run("r", 2);
        (co_await second.own(terms, soon())).value();
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().runs.at(0).state, "run");
        (co_await second.set_state(RunState::done, soon())).value();
        EXPECT_EQ((co_await second.own(terms, soon())).error().kind, ErrorKind::lease_lost);
        RunQueue third = queues.run("r", 3);
        co_await open_run(third, 1);
        const redis::Command ttl("PTTL", queues.keys.run("r"));
        EXPECT_EQ(co_await count(queues, ttl), -1) << "it does not vanish under its workers";
        EXPECT_EQ((co_await second.own(terms, soon())).error().kind, ErrorKind::lease_lost);
    });
}

TEST(QueueClaim, TellsWhoseARunIs) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r", 7);
        RunTerms terms;
        terms.owner = "store-1";
        (co_await run.own(terms, soon())).value();
        const RunClaim claim =
            (co_await read_claim(queues.client, queues.keys, "r", soon())).value();
        EXPECT_EQ(claim.epoch, 7U);
        EXPECT_EQ(claim.state, "run");
        EXPECT_EQ(claim.owner, "store-1");
        const RunClaim none =
            (co_await read_claim(queues.client, queues.keys, "x", soon())).value();
        EXPECT_EQ(none.epoch, 0U);
        EXPECT_EQ(none.owner, "");
    });
}

}  // namespace
}  // namespace evalfleet::queue
