#include "tests/integration/queue/queue_scenario.hpp"

#include <map>

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;

TEST(QueueTake, HandsOutEachJobOnceInOrder) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 3);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(2, kLease, kProviders, soon())).value();
        EXPECT_EQ(taken.jobs.size(), 2U);
        EXPECT_EQ(taken.jobs[0].ref, (JobRef{"r", 0, 1}));
        EXPECT_EQ(taken.jobs[1].payload, "p1");
        EXPECT_EQ(taken.jobs[1].deliveries, 1U);
        EXPECT_EQ(taken.quiet_for, std::chrono::milliseconds(0)) << "one is left";
        const Taken rest = (co_await worker.take(5, kLease, kProviders, soon())).value();
        EXPECT_EQ(rest.jobs.size(), 1U);
        EXPECT_FALSE(rest.quiet_for) << "nothing is left and nothing is delayed";
    });
}

TEST(QueueTake, SharesBetweenRunsByTheirShares) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue small = queues.run("small");
        RunQueue large = queues.run("large");
        RunTerms thrice;
        thrice.share = 3;
        co_await open_run(small, 400);
        co_await open_run(large, 400, thrice);
        WorkerQueue worker = queues.worker("w");
        std::map<std::string, int> counts;
        for (int round = 0; round < 20; ++round) {
            const Taken taken = (co_await worker.take(16, kLease, kProviders, soon())).value();
            for (const TakenJob& job : taken.jobs)
                ++counts[job.ref.run];
        }
        EXPECT_EQ(counts["small"] + counts["large"], 320);
        EXPECT_NEAR(counts["large"], 240, 16);
    });
}

TEST(QueueTake, ARunThatComesLateDoesNotCatchUpOnWhatItMissed) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue early = queues.run("early");
        co_await open_run(early, 1000);
        WorkerQueue worker = queues.worker("w");
        for (int round = 0; round < 10; ++round)
            (void)(co_await worker.take(32, kLease, kProviders, soon())).value();
        RunQueue late = queues.run("late");
        co_await open_run(late, 1000);
        std::map<std::string, int> counts;
        for (int round = 0; round < 10; ++round) {
            const Taken taken = (co_await worker.take(32, kLease, kProviders, soon())).value();
            for (const TakenJob& job : taken.jobs)
                ++counts[job.ref.run];
        }
        EXPECT_NEAR(counts["late"], 160, 16);
    });
}

// The server's clock, which is the one that waits are measured with.
asio::awaitable<std::chrono::milliseconds> server_time(Queues& queues) {
    const auto time =
        co_await queues.client.execute_as<std::vector<std::string>>(redis::Command("TIME"), soon());
    co_return std::chrono::milliseconds(std::stoll(time.value().at(0)) * 1000 +
                                        std::stoll(time.value().at(1)) / 1000);
}

// The server's time, once it is later than it was by so much.
asio::awaitable<std::chrono::milliseconds> server_time_after(Queues& queues,
                                                             std::chrono::milliseconds passed) {
    const auto begin = co_await server_time(queues);
    auto now = begin;
    while (now < begin + passed)
        now = co_await server_time(queues);
    co_return now;
}

constexpr std::chrono::milliseconds kAWhile{20};

asio::awaitable<std::chrono::milliseconds> wait_of_next(WorkerQueue& worker) {
    const Taken taken = (co_await worker.take(1, kLease, kProviders, soon())).value();
    co_return taken.jobs.at(0).waited.value();
}

TEST(QueueWait, IsLongerForAJobThatWaitedLonger) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        const auto begin = co_await server_time(queues);
        co_await open_run(run, 1);
        (void)(co_await server_time_after(queues, kAWhile));
        std::vector<NewJob> later = jobs(1, 2);
        (void)(co_await run.enqueue(std::move(later), 100, soon())).value();
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(2, kLease, kProviders, soon())).value();
        const auto end = co_await server_time(queues);
        const auto first = taken.jobs.at(0).waited.value();
        const auto second = taken.jobs.at(1).waited.value();
        EXPECT_GE(second.count(), 0);
        EXPECT_GE((first - second).count(), kAWhile.count());
        EXPECT_LE(first.count(), (end - begin).count());
    });
}

TEST(QueueWait, BeginsAnewWhenAJobComesBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        (void)(co_await server_time_after(queues, kAWhile));
        WorkerQueue worker = queues.worker("w");
        EXPECT_GE((co_await wait_of_next(worker)).count(), kAWhile.count());

        const auto released = co_await server_time_after(queues, kAWhile);
        std::vector<JobRef> back{{"r", 0, 1}};
        (void)(co_await worker.release(std::move(back), soon())).value();
        auto waited = co_await wait_of_next(worker);
        EXPECT_LE(waited.count(), ((co_await server_time(queues)) - released).count());

        const auto reaped = co_await server_time_after(queues, kAWhile);
        std::vector<JobRef> held{{"r", 0, 2}};
        (void)(co_await worker.beat(std::move(held), kNoLease, soon())).value();
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
        waited = co_await wait_of_next(worker);
        EXPECT_LE(waited.count(), ((co_await server_time(queues)) - reaped).count());
    });
}

TEST(QueueWait, OfADelayedJobBeginsWhenItIsDue) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        const JobRef job{"r", 0, 1};
        const auto failed = co_await server_time(queues);
        (void)(co_await worker.fail(job, kAWhile, 9, "later", soon())).value();
        (void)(co_await server_time_after(queues, kAWhile * 2));
        const auto waited = co_await wait_of_next(worker);
        const auto since_due = (co_await server_time(queues)) - failed - kAWhile;
        EXPECT_GE(waited.count(), kAWhile.count()) << "nobody came for it when it was due";
        EXPECT_LE(waited.count(), since_due.count()) << "its delay is no wait";
    });
}

TEST(QueueWait, IsUnknownForAJobOfAnOlderVersionAndZeroWhenTheClockWasSetBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 3);
        const std::string ready = queues.keys.base() + ":q:r";
        (co_await queues.client.execute(redis::Command("LSET", ready, "0", "0"), soon())).value();
        (co_await queues.client.execute(redis::Command("LSET", ready, "1", "1,99999999999999"),
                                        soon()))
            .value();
        (co_await queues.client.execute(redis::Command("LSET", ready, "2", "2,x"), soon())).value();
        EXPECT_THAT((co_await run.ready(soon())).value(), ::testing::UnorderedElementsAre(0U, 1U))
            << "all but what makes no sense";
        const std::vector<std::uint64_t> lost{2};
        EXPECT_EQ((co_await run.mend(lost, soon())).value(), 1U);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(9, kLease, kProviders, soon())).value();
        EXPECT_EQ(taken.jobs.size(), 3U);
        EXPECT_EQ(taken.jobs.at(0).ref.index, 0U);
        EXPECT_EQ(taken.jobs.at(0).waited, std::nullopt);
        EXPECT_EQ(taken.jobs.at(1).waited, std::chrono::milliseconds(0));
        EXPECT_EQ(taken.jobs.at(2).ref.index, 2U);
        EXPECT_TRUE(taken.jobs.at(2).waited);
    });
}

TEST(QueueBeat, ProlongsWhatIsHeldAndTellsWhatIsLostOrCancelled) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunQueue other = queues.run("other");
        co_await open_run(run, 1);
        co_await open_run(other, 1);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(2, kLease, kProviders, soon())).value();
        (co_await other.set_state(RunState::cancelled, soon())).value();
        std::vector<JobRef> held{{"r", 0, 1}, {"other", 0, 1}, {"r", 0, 2}, {"gone", 7, 1}};
        const auto beats = (co_await worker.beat(std::move(held), kLease, soon())).value();
        EXPECT_THAT(beats, ElementsAre(Beat::held, Beat::cancelled, Beat::lost, Beat::lost));
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().workers, 1U);
        (co_await worker.leave(soon())).value();
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().workers, 0U);
    });
}

TEST(QueueDone, IsFinishedThenLateThenDropped) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        const JobRef job{"r", 0, 1};
        EXPECT_EQ((co_await worker.done(job, "{}", soon())).value(), Delivery::finished);
        EXPECT_EQ((co_await worker.done(job, "{}", soon())).value(), Delivery::late);
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().leased, 0U);
        (co_await run.set_state(RunState::done, soon())).value();
        EXPECT_EQ((co_await worker.done(job, "{}", soon())).value(), Delivery::dropped);
    });
}

TEST(QueueDone, HandsOnTheResultOfARunThatRedisHasForgotten) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        WorkerQueue worker = queues.worker("w");
        const JobRef job{"r", 0, 1};
        EXPECT_EQ((co_await worker.done(job, "{}", soon())).value(), Delivery::late);
        const auto ttl = co_await queues.client.execute_as<std::int64_t>(
            redis::Command("PTTL", queues.keys.results("r")), soon());
        EXPECT_GT(ttl.value(), 0) << "it would stay for ever";
        RunQueue run = queues.run("r");
        co_await open_run(run, 0);
        const auto results =
            (co_await run.results(queues.client, 10, std::chrono::milliseconds(1), soon())).value();
        EXPECT_EQ(results.size(), 1U);
    });
}

TEST(QueueFail, DelaysThenGivesUpAndRefusesWhoLostTheJob) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        using std::chrono::milliseconds;
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        const JobRef first{"r", 0, 1};
        EXPECT_EQ((co_await worker.fail(first, milliseconds(0), 2, "no", soon())).value(),
                  Failure::delayed);
        EXPECT_EQ((co_await worker.fail(first, milliseconds(0), 2, "no", soon())).value(),
                  Failure::lost);
        const Taken again = (co_await worker.take(1, kLease, kProviders, soon())).value();
        EXPECT_EQ(again.jobs.size(), 1U);
        EXPECT_EQ(again.jobs[0].tries, 1U);
        const JobRef second{"r", 0, 2};
        EXPECT_EQ((co_await worker.fail(second, milliseconds(0), 2, "no key", soon())).value(),
                  Failure::dead);
        const auto results =
            (co_await run.results(queues.client, 10, milliseconds(1), soon())).value();
        EXPECT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].kind, RunResult::Kind::dead);
        EXPECT_EQ(results[0].value, "no key");
    });
}

TEST(QueueFail, ADelayedJobIsNotHandedOutBeforeItsTime) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        const JobRef job{"r", 0, 1};
        (void)(co_await worker.fail(job, std::chrono::hours(1), 9, "later", soon())).value();
        const Taken taken = (co_await worker.take(1, kLease, kProviders, soon())).value();
        EXPECT_TRUE(taken.jobs.empty());
        EXPECT_GT(taken.quiet_for.value(), std::chrono::minutes(59));
    });
}

TEST(QueueRelease, HandsBackOnlyWhatIsHeldAndDoesNotCountIt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        WorkerQueue other = queues.worker("other");
        (void)(co_await worker.take(2, kLease, kProviders, soon())).value();
        std::vector<JobRef> not_its_own{{"r", 0, 1}};
        EXPECT_EQ((co_await other.release(std::move(not_its_own), soon())).value(), 0U);
        std::vector<JobRef> both{{"r", 0, 1}, {"r", 1, 1}};
        EXPECT_EQ((co_await worker.release(both, soon())).value(), 2U);
        EXPECT_EQ((co_await worker.release(both, soon())).value(), 0U) << "it was sent twice";
        const Taken taken = (co_await other.take(2, kLease, kProviders, soon())).value();
        EXPECT_EQ(taken.jobs.size(), 2U);
        EXPECT_EQ(taken.jobs[0].deliveries, 1U);
        EXPECT_EQ(taken.jobs[0].ref.attempt, 2U);
    });
}

TEST(QueueReap, RequeuesExpiredLeasesAndGivesUpAfterTheLastDelivery) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.max_deliveries = 2;
        co_await open_run(run, 1, terms);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        std::vector<JobRef> first{{"r", 0, 1}};
        EXPECT_EQ((co_await worker.begun(first, soon())).value(), 1U);
        const Reaped none = (co_await queues.pool.reap(10, soon())).value();
        EXPECT_EQ(none.requeued + none.dead, 0U) << "the lease runs";
        (void)(co_await worker.beat(first, kNoLease, soon())).value();
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
        const Taken again = (co_await worker.take(1, kNoLease, kProviders, soon())).value();
        EXPECT_EQ(again.jobs.size(), 1U);
        EXPECT_EQ(again.jobs[0].deliveries, 2U);
        std::vector<JobRef> second{{"r", 0, 2}};
        EXPECT_EQ((co_await worker.begun(second, soon())).value(), 1U);
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().dead, 1U);
        const auto results =
            (co_await run.results(queues.client, 10, std::chrono::milliseconds(1), soon())).value();
        EXPECT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].kind, RunResult::Kind::dead);
        EXPECT_EQ(results[0].value, "no worker finished it in 2 deliveries");
    });
}

TEST(QueueReap, ALateResultOfALostLeaseFinishesTheJobOfWhoHasItNow) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue slow = queues.worker("slow");
        WorkerQueue quick = queues.worker("quick");
        (void)(co_await slow.take(1, kNoLease, kProviders, soon())).value();
        (void)(co_await queues.pool.reap(10, soon())).value();
        (void)(co_await quick.take(1, kLease, kProviders, soon())).value();
        const JobRef old{"r", 0, 1};
        EXPECT_EQ((co_await slow.fail(old, kLease, 5, "no", soon())).value(), Failure::lost);
        EXPECT_EQ((co_await slow.done(old, "{}", soon())).value(), Delivery::finished);
        std::vector<JobRef> held{{"r", 0, 2}};
        const auto beats = (co_await quick.beat(std::move(held), kLease, soon())).value();
        EXPECT_THAT(beats, ElementsAre(Beat::lost));
    });
}

}  // namespace
}  // namespace evalfleet::queue
