#include "tests/integration/queue/queue_scenario.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;

asio::awaitable<std::vector<TakenJob>> take(WorkerQueue& worker, std::size_t count,
                                            std::chrono::milliseconds lease = kLease) {
    co_return (co_await worker.take(count, lease, kProviders, soon())).value().jobs;
}

asio::awaitable<RunStats> stats_of(Queues& queues, std::string run) {
    const PoolStats stats = (co_await queues.pool.stats(soon())).value();
    for (const RunStats& each : stats.runs)
        if (each.run == run) co_return each;
    co_return RunStats{};
}

TEST(QueueInFlight, TakeStopsAtTheRunsOwnLimitAndServesOthers) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue narrow = queues.run("narrow");
        RunTerms terms;
        terms.max_in_flight = 3;
        co_await open_run(narrow, 20, terms);
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await take(worker, 10)).size(), 3U);
        EXPECT_TRUE((co_await take(worker, 10)).empty());
        EXPECT_EQ((co_await stats_of(queues, "narrow")).leased, 3U);
        RunQueue wide = queues.run("wide");
        co_await open_run(wide, 5);
        EXPECT_EQ((co_await take(worker, 10)).size(), 5U);
    });
}

TEST(QueueInFlight, WhateverEndsALeaseMakesRoom) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.max_in_flight = 1;
        co_await open_run(run, 20, terms);
        WorkerQueue worker = queues.worker("w");
        auto jobs = co_await take(worker, 2);
        EXPECT_EQ(jobs.size(), 1U);
        (void)(co_await worker.done(jobs[0].ref, "{}", soon())).value();
        jobs = co_await take(worker, 2);
        EXPECT_EQ(jobs.size(), 1U) << "after done";
        std::vector<JobRef> back{jobs[0].ref};
        (void)(co_await worker.release(std::move(back), soon())).value();
        jobs = co_await take(worker, 2);
        EXPECT_EQ(jobs.size(), 1U) << "after release";
        (void)(co_await worker.fail(jobs[0].ref, std::chrono::hours(1), 5, "no", soon())).value();
        jobs = co_await take(worker, 2, kNoLease);
        EXPECT_EQ(jobs.size(), 1U) << "after fail";
        (void)(co_await queues.pool.reap(10, soon())).value();
        jobs = co_await take(worker, 2);
        EXPECT_EQ(jobs.size(), 1U) << "after its lease ran out";
        JobSetback setback;
        setback.delay = std::chrono::hours(1);
        (void)(co_await worker.setback(jobs[0].ref, std::move(setback), soon())).value();
        EXPECT_EQ((co_await take(worker, 2)).size(), 1U) << "after a setback";
        EXPECT_EQ((co_await stats_of(queues, "r")).leased, 1U);
    });
}

TEST(QueueInFlight, ALimitThatIsRaisedTakesEffect) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.max_in_flight = 1;
        co_await open_run(run, 20, terms);
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await take(worker, 9)).size(), 1U);
        terms.max_in_flight = 4;
        (co_await run.own(terms, soon())).value();
        EXPECT_EQ((co_await take(worker, 9)).size(), 3U);
    });
}

RunTerms with_cost(std::uint64_t limit) {
    RunTerms terms;
    terms.cost = {.limit = limit, .per_job = 80, .per_byte = 10};  // a payload has two bytes
    return terms;
}

TEST(QueueBudget, SetsAsideBeforeAJobGoesOutAndEntersWhatItTook) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 8, with_cost(250));
        WorkerQueue worker = queues.worker("w");
        const auto jobs = co_await take(worker, 9);
        EXPECT_EQ(jobs.size(), 2U) << "a third might cost 100 of the 50 that are left";
        EXPECT_EQ(jobs[1].ref.index, 1U);
        EXPECT_EQ((co_await stats_of(queues, "r")).ended, "") << "what is out may turn out cheaper";
        const Spent little{10, 0};
        (void)(co_await worker.done(jobs[0].ref, "{}", little, soon())).value();
        const auto next = co_await take(worker, 9);
        EXPECT_EQ(next.size(), 1U);
        EXPECT_EQ(next[0].ref.index, 2U) << "in order, although it was put back once";
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{10, 0}));
    });
}

TEST(QueueBudget, EndsWhenTheRestIsNotEnoughForOneMore) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 8, with_cost(150));
        WorkerQueue worker = queues.worker("w");
        const auto jobs = co_await take(worker, 9);
        EXPECT_EQ(jobs.size(), 1U);
        const Spent all{100, 7};
        (void)(co_await worker.done(jobs[0].ref, "{}", all, soon())).value();
        EXPECT_TRUE((co_await take(worker, 9)).empty());
        const RunStats stats = co_await stats_of(queues, "r");
        EXPECT_EQ(stats.ended, "cost");
        EXPECT_EQ(stats.leased, 0U);
        EXPECT_EQ(stats.outstanding, 7U);
        EXPECT_EQ(stats.spent, (Spent{100, 7}));
        std::vector<NewJob> more = evalfleet::queue::jobs(20, 21);
        (void)(co_await run.enqueue(std::move(more), 100, soon())).value();
        EXPECT_TRUE((co_await take(worker, 9)).empty()) << "for good";
        (co_await run.own(with_cost(1000), soon())).value();
        EXPECT_EQ((co_await take(worker, 9)).size(), 8U) << "until it is raised";
    });
}

TEST(QueueBudget, OfTokensEndsARunToo) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.tokens = {.limit = 99, .per_job = 100};
        co_await open_run(run, 3, terms);
        WorkerQueue worker = queues.worker("w");
        EXPECT_TRUE((co_await take(worker, 9)).empty());
        EXPECT_EQ((co_await stats_of(queues, "r")).ended, "tokens");
    });
}

TEST(QueueBudget, CountsALeaseThatRanOutAsSpentIfItsCallMayHaveBeenMadeAndALateResultNotAgain) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1, with_cost(1000));
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await take(worker, 1, kNoLease)).size(), 1U);
        (void)(co_await queues.pool.reap(10, soon())).value();
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, Spent()) << "nothing was sent";
        const auto jobs = co_await take(worker, 1, kNoLease);
        std::vector<JobRef> refs{jobs[0].ref};
        (void)(co_await worker.begun(std::move(refs), soon())).value();
        (void)(co_await queues.pool.reap(10, soon())).value();
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{100, 0}))
            << "its call may have been made";
        const Spent half{50, 5};
        (void)(co_await worker.done(jobs[0].ref, "{}", half, soon())).value();
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{150, 5}));
        EXPECT_EQ((co_await worker.done(jobs[0].ref, "{}", half, soon())).value(), Delivery::late);
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{150, 5}));
    });
}

TEST(QueueBudget, GivesBackWhatWasSetAsideForAJobThatIsHandedBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 3, with_cost(100));
        WorkerQueue worker = queues.worker("w");
        const auto jobs = co_await take(worker, 3);
        EXPECT_EQ(jobs.size(), 1U);
        std::vector<JobRef> back{jobs[0].ref};
        (void)(co_await worker.release(std::move(back), soon())).value();
        EXPECT_EQ((co_await take(worker, 3)).size(), 1U);
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, Spent());
    });
}

TEST(QueueBudget, TakesWhatTheLogSaysButNeverLowersWhatRedisKnows) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms = with_cost(1000);
        terms.cost.spent = 300;
        co_await open_run(run, 3, terms);
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{300, 0}));
        terms.cost.spent = 200;
        (co_await run.own(terms, soon())).value();
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{300, 0}));
    });
}

TEST(QueueBudget, LeavesNothingBehindWhenTheRunIsDone) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 3, with_cost(1000));
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await take(worker, 2)).size(), 2U);
        (co_await run.set_state(RunState::done, soon())).value();
        const auto exists = co_await queues.client.execute_as<bool>(
            redis::Command("EXISTS", queues.keys.base() + ":fly:r"), soon());
        EXPECT_FALSE(exists.value());
    });
}

}  // namespace
}  // namespace evalfleet::queue
