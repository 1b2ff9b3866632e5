#include "tests/integration/queue/queue_scenario.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMiB = std::size_t{1} << 20;

asio::awaitable<void> enqueue(RunQueue& run, std::uint64_t index, std::size_t bytes) {
    std::vector<NewJob> one{{index, std::string(bytes, 'x')}};
    (co_await run.enqueue(std::move(one), 1'000, soon())).value();
}

// 64 jobs of more than a MiB each are more than a client takes in one answer: it would be lost
// after they were leased.
TEST(QueueTake, GivesNoMoreBytesThanAnAnswerMayHave) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        constexpr std::uint64_t kJobs = 70;
        RunQueue run = queues.run("r");
        co_await open_run(run, 0);
        for (std::uint64_t index = 0; index < kJobs; ++index)
            co_await enqueue(run, index, kMiB + 1);
        WorkerQueue worker = queues.worker("w");
        std::uint64_t taken = 0;
        while (taken < kJobs) {
            const Taken some = (co_await worker.take(64, kLease, kProviders, soon())).value();
            EXPECT_EQ(some.jobs.size(), 7U);
            EXPECT_EQ(some.jobs.front().ref.index, taken) << "their order is kept";
            taken += some.jobs.size();
        }
        EXPECT_EQ((co_await queues.pool.stats(soon())).value().leased, kJobs);
    });
}

TEST(QueueTake, GivesALargeJobAlone) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        co_await enqueue(run, 1, 20 * kMiB);
        co_await enqueue(run, 2, 1);
        WorkerQueue worker = queues.worker("w");
        for (const std::size_t expected : {1, 1, 1}) {
            const Taken some = (co_await worker.take(9, kLease, kProviders, soon())).value();
            EXPECT_EQ(some.jobs.size(), expected);
        }
    });
}

TEST(QueueResults, OneThatIsTooLargeIsReplacedByWhatSaysSo) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        const JobRef large{"r", 0, 1};
        const JobRef small{"r", 1, 1};
        (void)(co_await worker.done(large, std::string(1'000, 'x'), soon())).value();
        (void)(co_await worker.done(small, "{}", soon())).value();
        EXPECT_EQ((co_await run.cut_result(2'000, soon())).value(), 0U) << "it is not too large";
        EXPECT_EQ((co_await run.cut_result(500, soon())).value(), 1U);
        EXPECT_EQ((co_await run.cut_result(500, soon())).value(), 0U);
        constexpr std::chrono::milliseconds kPatience{1};
        const auto seen = (co_await run.results(queues.client, 10, kPatience, soon())).value();
        EXPECT_EQ(seen.size(), 2U);
        EXPECT_EQ(seen.at(0).value, "{}");
        EXPECT_EQ(seen.at(1).index, 0U);
        EXPECT_EQ(seen.at(1).kind, RunResult::Kind::dead);
        EXPECT_THAT(seen.at(1).value, ::testing::HasSubstr("at most 500 can be read"));
    });
}

}  // namespace
}  // namespace evalfleet::queue
