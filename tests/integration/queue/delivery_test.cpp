#include "tests/integration/queue/queue_scenario.hpp"

/// To whom jobs are handed out, and what of it counts: rules that a worker without a provider, a
/// lost reply or an outage of a provider must not break.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr milliseconds kMoment{1};

asio::awaitable<Taken> take(WorkerQueue& worker, std::vector<std::string> providers) {
    co_return (co_await worker.take(9, kLease, std::move(providers), soon())).value();
}

/// The one job that there is, whose lease is over at once.
asio::awaitable<TakenJob> take_in_vain(WorkerQueue& worker) {
    const Taken taken = (co_await worker.take(1, kNoLease, kProviders, soon())).value();
    co_return taken.jobs.empty() ? TakenJob() : taken.jobs.front();
}

asio::awaitable<std::uint64_t> begin(WorkerQueue& worker, JobRef job) {
    std::vector<JobRef> jobs{std::move(job)};
    co_return (co_await worker.begun(std::move(jobs), soon())).value();
}

asio::awaitable<void> live(WorkerQueue& worker) {
    std::vector<JobRef> none;
    (void)(co_await worker.beat(std::move(none), kLease, soon())).value();
}

asio::awaitable<Failure> put_back(WorkerQueue& worker, JobRef job, JobSetback setback) {
    co_return (co_await worker.setback(std::move(job), std::move(setback), soon())).value();
}

asio::awaitable<std::vector<RunResult>> results_of(Queues& queues, RunQueue& run) {
    co_return (co_await run.results(queues.client, 1000, kMoment, soon())).value();
}

TEST(QueueProviders, AWorkerIsHandedNothingWhoseProvidersItLacks) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.needs = {"main", "judge"};
        co_await open_run(run, 3, terms);
        WorkerQueue poor = queues.worker("poor");
        WorkerQueue rich = queues.worker("rich");
        const std::vector<std::string> some{"main", "other"};
        const std::vector<std::string> all{"judge", "main", "other"};
        for (int i = 0; i < 20; ++i) {
            const Taken none = co_await take(poor, some);
            EXPECT_TRUE(none.jobs.empty());
            EXPECT_TRUE(none.passed_over) << "there are jobs, but for others";
        }
        const Taken taken = co_await take(rich, all);
        EXPECT_EQ(taken.jobs.size(), 3U);
        for (const TakenJob& job : taken.jobs) {
            EXPECT_EQ(job.ref.attempt, 1U) << "it was never handed out before";
            EXPECT_EQ(job.deliveries, 1U);
        }
        const Taken nothing = co_await take(poor, some);
        EXPECT_FALSE(nothing.passed_over) << "nothing is left for anybody";
    });
}

TEST(QueueProviders, AWorkerGetsTheJobsOfOtherRunsBehindThoseThatItCannotDo) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunTerms strange;
        strange.needs = {"strange"};
        RunQueue first = queues.run("first");
        co_await open_run(first, 5, strange);
        RunTerms usual;
        usual.needs = {"main"};
        RunQueue second = queues.run("second");
        co_await open_run(second, 2, usual);
        WorkerQueue worker = queues.worker("w");
        const std::vector<std::string> own{"main"};
        const Taken taken = co_await take(worker, own);
        EXPECT_EQ(taken.jobs.size(), 2U);
        for (const TakenJob& job : taken.jobs)
            EXPECT_EQ(job.ref.run, "second");
        EXPECT_TRUE(taken.passed_over);
    });
}

TEST(QueueDelivery, AHandOutWhoseReplyWasLostCostsNothing) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        for (std::uint64_t i = 1; i <= 20; ++i) {
            const TakenJob job = co_await take_in_vain(worker);
            EXPECT_EQ(job.ref.attempt, i);
            EXPECT_EQ(job.deliveries, 1U) << "none has begun before";
            EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
        }
        EXPECT_TRUE((co_await results_of(queues, run)).empty());
    });
}

TEST(QueueDelivery, FiveThatBeganAndWereNotHeardOfAgainAreEnough) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        for (std::uint64_t i = 1; i <= 5; ++i) {
            (void)co_await take_in_vain(worker);  // and the reply is lost
            EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
            const TakenJob job = co_await take_in_vain(worker);
            EXPECT_EQ(job.deliveries, i);
            EXPECT_EQ(co_await begin(worker, job.ref), 1U);
            EXPECT_EQ(co_await begin(worker, job.ref), 1U) << "told twice, it counts once";
            const Reaped reaped = (co_await queues.pool.reap(10, soon())).value();
            EXPECT_EQ(reaped.requeued, i < 5 ? 1U : 0U);
            EXPECT_EQ(reaped.dead, i < 5 ? 0U : 1U);
        }
        const auto results = co_await results_of(queues, run);
        EXPECT_EQ(results.size(), 1U);
        EXPECT_EQ(results.at(0).kind, RunResult::Kind::dead);
        EXPECT_EQ(results.at(0).value, "no worker finished it in 5 deliveries");
    });
}

TEST(QueueDelivery, OnlyWhoHoldsAJobCanBeginIt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue slow = queues.worker("slow");
        WorkerQueue quick = queues.worker("quick");
        const TakenJob lost = co_await take_in_vain(slow);
        (void)(co_await queues.pool.reap(10, soon())).value();
        const TakenJob job = co_await take_in_vain(quick);
        EXPECT_EQ(co_await begin(slow, lost.ref), 0U);
        EXPECT_EQ(co_await begin(slow, job.ref), 0U);
        (void)(co_await queues.pool.reap(10, soon())).value();
        EXPECT_EQ((co_await take_in_vain(quick)).deliveries, 1U);
    });
}

TEST(QueueDelivery, AJobThatIsHandedBackAfterItBeganWasNotLost) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        for (int i = 0; i < 10; ++i) {
            const TakenJob job = co_await take_in_vain(worker);
            EXPECT_EQ(job.deliveries, 1U);
            EXPECT_EQ(co_await begin(worker, job.ref), 1U);
            std::vector<JobRef> back{job.ref};
            EXPECT_EQ((co_await worker.release(std::move(back), soon())).value(), 1U);
        }
    });
}

TEST(QueueDelivery, AJobThatNeverBeginsEndsAfterAHundredHandOuts) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        std::uint64_t hand_outs = 0;
        Reaped reaped;
        while (reaped.dead == 0 && hand_outs < 200) {
            (void)co_await take_in_vain(worker);
            ++hand_outs;
            reaped = (co_await queues.pool.reap(10, soon())).value();
        }
        EXPECT_EQ(hand_outs, 100U);
    });
}

TEST(QueueSetback, PutsTheJobBackAndTellsWhoTakesItNextWhatHappened) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        const Taken first = co_await take(worker, kProviders);
        EXPECT_EQ(first.jobs.at(0).past, "");
        (void)co_await begin(worker, first.jobs[0].ref);
        JobSetback setback{milliseconds(0), milliseconds(5'000), "http_5xx=1", "the note"};
        EXPECT_EQ(co_await put_back(worker, first.jobs[0].ref, setback), Failure::delayed);
        EXPECT_EQ(co_await put_back(worker, first.jobs[0].ref, setback), Failure::lost)
            << "sent twice";
        const Taken second = co_await take(worker, kProviders);
        EXPECT_EQ(second.jobs.size(), 1U) << "there is no other worker";
        EXPECT_EQ(second.jobs.at(0).past, "http_5xx=1");
        EXPECT_GE(second.jobs[0].age, milliseconds(5'000)) << "since the first attempt";
        EXPECT_EQ(second.jobs[0].deliveries, 1U) << "it was heard of";
        setback.elapsed = milliseconds(1);
        setback.past = "connect=1 http_5xx=1";
        EXPECT_EQ(co_await put_back(worker, second.jobs[0].ref, setback), Failure::delayed);
        const Taken third = co_await take(worker, kProviders);
        EXPECT_EQ(third.jobs.at(0).past, "connect=1 http_5xx=1");
        EXPECT_GE(third.jobs[0].age, milliseconds(5'000)) << "still since the first one";
        const auto results = co_await results_of(queues, run);
        EXPECT_EQ(results.size(), 2U);
        EXPECT_EQ(results.at(0).kind, RunResult::Kind::note);
        EXPECT_EQ(results[0].value, "the note");
        EXPECT_EQ(results[0].index, 0U);
    });
}

TEST(QueueSetback, DelaysTheJob) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        const Taken first = co_await take(worker, kProviders);
        JobSetback setback;
        setback.delay = std::chrono::hours(1);
        (void)co_await put_back(worker, first.jobs.at(0).ref, std::move(setback));
        const Taken none = co_await take(worker, kProviders);
        EXPECT_TRUE(none.jobs.empty());
        EXPECT_GT(none.quiet_for.value(), std::chrono::minutes(59));
    });
}

TEST(QueueSetback, LeavesTheJobToAnotherWorkerIfThereIsOne) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        WorkerQueue other = queues.worker("other");
        co_await live(worker);
        co_await live(other);
        const Taken first = (co_await worker.take(1, kLease, kProviders, soon())).value();
        JobSetback setback;
        setback.delay = milliseconds(0);
        (void)co_await put_back(worker, first.jobs.at(0).ref, std::move(setback));
        const Taken rest = co_await take(worker, kProviders);
        EXPECT_EQ(rest.jobs.size(), 1U);
        EXPECT_EQ(rest.jobs.at(0).ref.index, 1U) << "not the one that it put back";
        EXPECT_TRUE(rest.passed_over);
        const Taken elsewhere = co_await take(other, kProviders);
        EXPECT_EQ(elsewhere.jobs.size(), 1U);
        EXPECT_EQ(elsewhere.jobs.at(0).ref.index, 0U);
    });
}

TEST(QueueSetback, WithoutADelayIsNotedAndTheWorkerKeepsTheJob) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = co_await take(worker, kProviders);
        JobSetback note;
        note.note = "the judge is away";
        EXPECT_EQ(co_await put_back(worker, taken.jobs.at(0).ref, std::move(note)), Failure::noted);
        std::vector<JobRef> held{taken.jobs[0].ref};
        EXPECT_THAT((co_await worker.beat(std::move(held), kLease, soon())).value(),
                    ElementsAre(Beat::held));
        EXPECT_EQ((co_await worker.done(taken.jobs[0].ref, "{}", soon())).value(),
                  Delivery::finished);
        const auto results = co_await results_of(queues, run);
        EXPECT_EQ(results.size(), 2U);
        EXPECT_EQ(results.at(0).value, "the judge is away");
        EXPECT_EQ(results[0].kind, RunResult::Kind::note);
        EXPECT_EQ(results.at(1).kind, RunResult::Kind::record);
    });
}

TEST(QueueSetback, DoesNotEndTheJobHoweverOftenNorBringItsEndNearer) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue worker = queues.worker("w");
        for (int i = 0; i < 150; ++i) {
            const Taken taken = co_await take(worker, kProviders);
            EXPECT_EQ(taken.jobs.at(0).deliveries, 1U);
            (void)co_await begin(worker, taken.jobs[0].ref);
            JobSetback setback;
            setback.delay = milliseconds(0);
            (void)co_await put_back(worker, taken.jobs[0].ref, std::move(setback));
        }
        const TakenJob lost = co_await take_in_vain(worker);
        (void)co_await begin(worker, lost.ref);
        const Reaped reaped = (co_await queues.pool.reap(10, soon())).value();
        EXPECT_EQ(reaped.dead, 0U) << "one lost delivery after an outage is not the last";
        EXPECT_EQ(reaped.requeued, 1U);
    });
}

}  // namespace
}  // namespace evalfleet::queue
