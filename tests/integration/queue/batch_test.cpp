#include "tests/integration/queue/queue_scenario.hpp"

/// Results that are handed over together: each is treated as if it came alone.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr milliseconds kMoment{1};

asio::awaitable<std::vector<Delivery>> hand_over(WorkerQueue& worker,
                                                 std::vector<JobResult> results) {
    co_return (co_await worker.done(std::move(results), soon())).value();
}

JobResult result_of(std::string run, std::uint64_t index, std::string record, Spent spent = {}) {
    return {JobRef{std::move(run), index, 1}, std::move(record), spent};
}

asio::awaitable<void> take_all(WorkerQueue& worker, milliseconds lease = kLease) {
    (void)(co_await worker.take(1000, lease, kProviders, soon())).value();
}

/// "index:record" of each result of the run, in the order of the stream.
asio::awaitable<std::vector<std::string>> records_of(Queues& queues, const std::string& id) {
    RunQueue run = queues.run(id);
    std::vector<std::string> records;
    const auto results = (co_await run.results(queues.client, 1000, kMoment, soon())).value();
    for (const RunResult& result : results)
        records.push_back(std::to_string(result.index) + ":" + result.value);
    co_return records;
}

asio::awaitable<RunStats> stats_of(Queues& queues, const std::string& id) {
    const PoolStats stats = (co_await queues.pool.stats(soon())).value();
    for (const RunStats& run : stats.runs)
        if (run.run == id) co_return run;
    co_return RunStats();
}

asio::awaitable<std::int64_t> count(Queues& queues, redis::Command command) {
    co_return (co_await queues.client.execute_as<std::int64_t>(std::move(command), soon())).value();
}

TEST(QueueBatch, FinishesEveryJobOfTheBatchInOrder) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 4);
        WorkerQueue worker = queues.worker("w");
        co_await take_all(worker);
        std::vector<JobResult> results;
        for (const std::uint64_t index : {2U, 0U, 3U})
            results.push_back(result_of("r", index, "x"));
        EXPECT_THAT(co_await hand_over(worker, std::move(results)), Each(Delivery::finished));
        EXPECT_THAT(co_await records_of(queues, "r"), ElementsAre("2:x", "0:x", "3:x"));
        const RunStats stats = co_await stats_of(queues, "r");
        EXPECT_EQ(stats.outstanding, 1U);
        EXPECT_EQ(stats.leased, 1U);
    });
}

TEST(QueueBatch, FinishesAJobThatIsInItTwiceOnceAndHandsBothOn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        co_await take_all(worker);
        std::vector<JobResult> results;
        results.push_back(result_of("r", 0, "first", {10, 1}));
        results.push_back(result_of("r", 1, "other", {10, 1}));
        results.push_back(result_of("r", 0, "second", {10, 1}));
        EXPECT_THAT(co_await hand_over(worker, std::move(results)),
                    ElementsAre(Delivery::finished, Delivery::finished, Delivery::late));
        EXPECT_THAT(co_await records_of(queues, "r"),
                    ElementsAre("0:first", "1:other", "0:second"));
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{20, 2}))
            << "a result that comes second costs the run nothing more";
    });
}

TEST(QueueBatch, CanBeSentAgainWhenItsReplyWasLost) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        co_await take_all(worker);
        std::vector<JobResult> results;
        results.push_back(result_of("r", 0, "x", {5, 1}));
        results.push_back(result_of("r", 1, "y", {5, 1}));
        EXPECT_THAT(co_await hand_over(worker, results), Each(Delivery::finished));
        EXPECT_THAT(co_await hand_over(worker, results), Each(Delivery::late));
        EXPECT_THAT(co_await records_of(queues, "r"), ElementsAre("0:x", "1:y", "0:x", "1:y"));
        EXPECT_EQ((co_await stats_of(queues, "r")).spent, (Spent{10, 2}));
    });
}

TEST(QueueBatch, AnswersForEachRunWhatHoldsForIt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue over = queues.run("over");
        RunQueue going = queues.run("going");
        co_await open_run(over, 2);
        co_await open_run(going, 2);
        WorkerQueue worker = queues.worker("w");
        co_await take_all(worker);
        (co_await over.set_state(RunState::done, soon())).value();
        std::vector<JobResult> results;
        results.push_back(result_of("over", 0, "a"));
        results.push_back(result_of("going", 0, "b"));
        results.push_back(result_of("over", 1, "c"));
        results.push_back(result_of("unknown", 0, "d"));
        results.push_back(result_of("going", 1, "e"));
        EXPECT_THAT(co_await hand_over(worker, std::move(results)),
                    ElementsAre(Delivery::dropped, Delivery::finished, Delivery::dropped,
                                Delivery::late, Delivery::finished));
        EXPECT_THAT(co_await records_of(queues, "going"), ElementsAre("0:b", "1:e"));
        const redis::Command left("EXISTS", "ef:{main}:res:over");
        EXPECT_EQ(co_await count(queues, left), 0) << "nobody would fetch them";
        const redis::Command ttl("PTTL", "ef:{main}:res:unknown");
        EXPECT_GT(co_await count(queues, ttl), 0) << "Redis lost the run, and may not get it back";
    });
}

TEST(QueueBatch, AcceptsResultsWhoseLeaseRanOutBesideOthers) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        WorkerQueue slow = queues.worker("slow");
        co_await take_all(slow, kNoLease);
        EXPECT_EQ((co_await queues.pool.reap(10, soon())).value().requeued, 1U);
        std::vector<NewJob> more = jobs(1, 2);
        (void)(co_await run.enqueue(std::move(more), 100, soon())).value();
        WorkerQueue quick = queues.worker("quick");
        const Taken taken = (co_await quick.take(2, kLease, kProviders, soon())).value();
        EXPECT_EQ(taken.jobs.at(0).ref.attempt, 2U);
        std::vector<JobResult> late;
        late.push_back(result_of("r", 0, "slow"));
        EXPECT_THAT(co_await hand_over(slow, std::move(late)), ElementsAre(Delivery::finished))
            << "the call was made and paid for";
        std::vector<JobResult> both;
        both.push_back({taken.jobs.at(0).ref, "quick", {}});
        both.push_back({taken.jobs.at(1).ref, "quick", {}});
        EXPECT_THAT(co_await hand_over(quick, std::move(both)),
                    ElementsAre(Delivery::late, Delivery::finished));
        EXPECT_THAT(co_await records_of(queues, "r"), ElementsAre("0:slow", "0:quick", "1:quick"));
    });
}

TEST(QueueBatch, MakesRoomForARunThatWasHeldBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        RunTerms terms;
        terms.max_in_flight = 3;
        co_await open_run(run, 6, terms);
        WorkerQueue worker = queues.worker("w");
        co_await take_all(worker);
        EXPECT_TRUE((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.empty());
        std::vector<JobResult> results;
        results.push_back(result_of("r", 0, "x"));
        results.push_back(result_of("r", 1, "x"));
        EXPECT_THAT(co_await hand_over(worker, std::move(results)), Each(Delivery::finished));
        EXPECT_EQ((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.size(), 2U);
    });
}

TEST(QueueBatch, LeavesNothingOfItsJobsBehind) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 300);
        WorkerQueue worker = queues.worker("w");
        std::vector<JobResult> results;
        while (results.size() < 300) {
            const Taken taken = (co_await worker.take(300, kLease, kProviders, soon())).value();
            for (const TakenJob& job : taken.jobs)
                results.push_back({job.ref, "x", {}});
        }
        EXPECT_THAT(co_await hand_over(worker, std::move(results)), Each(Delivery::finished));
        for (const std::string name :
             {"job:r", "try:r", "fly:r", "past:r", "q:r", "lease", "own"}) {
            const redis::Command exists("EXISTS", "ef:{main}:" + name);
            EXPECT_EQ(co_await count(queues, exists), 0) << name;
        }
        EXPECT_EQ((co_await records_of(queues, "r")).size(), 300U);
    });
}

}  // namespace
}  // namespace evalfleet::queue
