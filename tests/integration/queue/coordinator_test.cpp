#include "tests/integration/queue/queue_scenario.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(QueueOwn, ALaterEpochTakesOverAndFencesTheEarlierOne) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue old = queues.run("r", 1);
        RunQueue fresh = queues.run("r", 2);
        co_await open_run(old, 1);
        const RunTerms terms;
        EXPECT_TRUE(co_await fresh.own(terms, soon()));
        EXPECT_TRUE(co_await fresh.own(terms, soon())) << "sent twice";
        EXPECT_EQ((co_await old.own(terms, soon())).error().kind, ErrorKind::lease_lost);
        std::vector<NewJob> more = jobs(1, 2);
        EXPECT_EQ((co_await old.enqueue(std::move(more), 10, soon())).error().kind,
                  ErrorKind::lease_lost);
        std::vector<std::string> ids{"1-0"};
        EXPECT_EQ((co_await old.acknowledge(std::move(ids), soon())).error().kind,
                  ErrorKind::lease_lost);
        std::vector<std::uint64_t> indexes{0};
        EXPECT_EQ((co_await old.absent(indexes, soon())).error().kind, ErrorKind::lease_lost);
        EXPECT_EQ((co_await old.remove(indexes, soon())).error().kind, ErrorKind::lease_lost);
        EXPECT_THAT((co_await fresh.present(soon())).value(), UnorderedElementsAre(0U))
            << "nothing changed";
        EXPECT_EQ((co_await old.mend(indexes, soon())).error().kind, ErrorKind::lease_lost);
        EXPECT_EQ((co_await old.set_state(RunState::paused, soon())).error().kind,
                  ErrorKind::lease_lost);
    });
}

TEST(QueueOwn, AFinishedRunStaysFinished) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        (co_await run.set_state(RunState::done, soon())).value();
        const RunTerms terms;
        EXPECT_EQ((co_await run.own(terms, soon())).error().kind, ErrorKind::lease_lost);
        EXPECT_TRUE((co_await queues.pool.stats(soon())).value().runs.empty());
    });
}

TEST(QueueOwn, ARunThatIsUnknownIsNotFound) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        std::vector<NewJob> some = jobs(0, 1);
        EXPECT_EQ((co_await run.enqueue(std::move(some), 10, soon())).error().kind,
                  ErrorKind::not_found);
        std::vector<std::uint64_t> indexes{0};
        EXPECT_EQ((co_await run.absent(indexes, soon())).error().kind, ErrorKind::not_found);
        EXPECT_EQ((co_await run.remove(indexes, soon())).error().kind, ErrorKind::not_found);
        std::vector<std::string> ids{"1-0"};
        EXPECT_EQ((co_await run.acknowledge(std::move(ids), soon())).error().kind,
                  ErrorKind::not_found);
        EXPECT_EQ((co_await run.mend(indexes, soon())).error().kind, ErrorKind::not_found);
        EXPECT_EQ((co_await run.set_state(RunState::paused, soon())).error().kind,
                  ErrorKind::not_found);
        EXPECT_TRUE((co_await queues.pool.stats(soon())).value().runs.empty());
    });
}

TEST(QueueOwn, ARunThatRedisKnowsOfAnEarlierEpochIsNotFoundUntilItIsOwnedAgain) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue old = queues.run("r", 1);
        co_await open_run(old, 1);
        RunQueue run = queues.run("r", 2);  // owned once, but Redis went back to before that
        std::vector<std::uint64_t> indexes{0};
        EXPECT_EQ((co_await run.absent(indexes, soon())).error().kind, ErrorKind::not_found);
        EXPECT_EQ((co_await run.mend(indexes, soon())).error().kind, ErrorKind::not_found);
        const RunTerms terms;
        (co_await run.own(terms, soon())).value();
        EXPECT_TRUE((co_await run.absent(indexes, soon())).value().empty());
        EXPECT_EQ((co_await old.mend(indexes, soon())).error().kind, ErrorKind::lease_lost);
    });
}

TEST(QueueEnqueue, AddsAJobOnceHoweverOftenItIsSent) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        std::vector<NewJob> again = jobs(1, 4);
        const Enqueued enqueued = (co_await run.enqueue(std::move(again), 100, soon())).value();
        EXPECT_FALSE(enqueued.window_full);
        EXPECT_EQ(enqueued.added, 2U);
        EXPECT_EQ(enqueued.outstanding, 4U);
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await worker.take(10, kLease, kProviders, soon())).value().jobs.size(), 4U);
    });
}

TEST(QueueEnqueue, StopsAtTheLimitOfTheWindow) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 0);
        std::vector<NewJob> many = jobs(0, 5);
        const Enqueued enqueued = (co_await run.enqueue(std::move(many), 3, soon())).value();
        EXPECT_TRUE(enqueued.window_full);
        EXPECT_EQ(enqueued.added, 3U);
        EXPECT_EQ(enqueued.outstanding, 3U);
    });
}

TEST(QueueEnqueue, ACancelledRunTakesNothing) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 0);
        (co_await run.set_state(RunState::cancelled, soon())).value();
        std::vector<NewJob> some = jobs(0, 1);
        EXPECT_EQ((co_await run.enqueue(std::move(some), 3, soon())).error().kind,
                  ErrorKind::denied);
    });
}

TEST(QueueResults, AreReadAgainUntilTheyAreAcknowledged) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(2, kLease, kProviders, soon())).value();
        const JobRef first{"r", 0, 1};
        const JobRef second{"r", 1, 1};
        (void)(co_await worker.done(first, "one", soon())).value();
        (void)(co_await worker.done(second, "two", soon())).value();
        constexpr std::chrono::milliseconds kPatience{1};
        const auto seen = (co_await run.results(queues.client, 10, kPatience, soon())).value();
        EXPECT_EQ(seen.size(), 2U);
        EXPECT_EQ(seen[0].index, 0U);
        EXPECT_EQ(seen[0].value, "one");
        EXPECT_EQ(seen[0].attempt, 1U);
        EXPECT_EQ((co_await run.results(queues.client, 10, kPatience, soon())).value().size(), 2U);
        std::vector<std::string> ids{seen[0].id};
        (co_await run.acknowledge(ids, soon())).value();
        (co_await run.acknowledge(ids, soon())).value();
        const auto rest = (co_await run.results(queues.client, 10, kPatience, soon())).value();
        EXPECT_EQ(rest.size(), 1U);
        EXPECT_EQ(rest[0].value, "two");
    });
}

TEST(QueueResults, AnEntryThatIsNotOursIsReadAsDeadAndWithoutIndex) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 0);
        (co_await queues.client.execute(
             redis::Command("XADD", queues.keys.results("r"), "*", "i", "x", "k", "ok"), soon()))
            .value();
        const auto seen =
            (co_await run.results(queues.client, 10, std::chrono::milliseconds(1), soon())).value();
        EXPECT_EQ(seen.size(), 1U);
        EXPECT_EQ(seen[0].index, ~std::uint64_t{0});
        EXPECT_FALSE(seen[0].id.empty());
    });
}

TEST(QueueAudit, FindsWhatVanishedAndRemovesWhatCameBack) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 3);
        std::vector<std::uint64_t> asked{0, 2, 5, 7};
        const auto absent = (co_await run.absent(std::move(asked), soon())).value();
        EXPECT_THAT(absent, ElementsAre(5U, 7U));
        std::vector<std::uint64_t> unwanted{1, 9};
        EXPECT_EQ((co_await run.remove(std::move(unwanted), soon())).value(), 1U);
        const auto present = (co_await run.present(soon())).value();
        EXPECT_THAT(present, UnorderedElementsAre(0U, 2U));
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.size(), 2U);
    });
}

TEST(QueueAudit, MendsJobsThatNobodyWouldBeHanded) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 4);
        WorkerQueue worker = queues.worker("w");
        (void)(co_await worker.take(1, kLease, kProviders, soon())).value();
        EXPECT_THAT((co_await run.ready(soon())).value(), UnorderedElementsAre(1U, 2U, 3U));
        (co_await queues.client.execute(redis::Command("DEL", queues.keys.ready("r")), soon()))
            .value();
        EXPECT_TRUE((co_await run.ready(soon())).value().empty());
        const std::vector<std::uint64_t> all{0, 1, 2, 3, 9};
        EXPECT_THAT((co_await run.unheld(all, soon())).value(), ElementsAre(1U, 2U, 3U))
            << "one is leased, one is not there";
        EXPECT_EQ((co_await run.mend(all, soon())).value(), 3U);
        EXPECT_EQ((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.size(), 3U);
    });
}

TEST(QueueAudit, AJobThatIsMendedAlthoughItWasReadyIsHandedOutOnce) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        const std::vector<std::uint64_t> all{0, 1};
        EXPECT_EQ((co_await run.mend(all, soon())).value(), 2U);
        WorkerQueue worker = queues.worker("w");
        EXPECT_EQ((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.size(), 2U);
    });
}

TEST(QueueAudit, ReadsAWindowThatIsLargerThanASlice) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        constexpr std::uint64_t kJobs = 4'321;
        RunQueue run = queues.run("r");
        co_await open_run(run, kJobs);
        const auto ready = (co_await run.ready(soon())).value();
        EXPECT_EQ(ready.size(), kJobs);
        EXPECT_TRUE(ready.contains(kJobs - 1));
        EXPECT_EQ((co_await run.present(soon(), 200)).value(), ready);
    });
}

TEST(QueueState, PauseStopsHandingOutAndResumeGoesOn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        WorkerQueue worker = queues.worker("w");
        (co_await run.set_state(RunState::paused, soon())).value();
        EXPECT_TRUE((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.empty());
        std::vector<NewJob> more = jobs(2, 3);
        EXPECT_EQ((co_await run.enqueue(std::move(more), 9, soon())).value().added, 1U);
        EXPECT_TRUE((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.empty());
        (co_await run.set_state(RunState::running, soon())).value();
        EXPECT_EQ((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.size(), 3U);
    });
}

TEST(QueueState, ACancelledRunHandsNothingOutAndCannotGoOn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        EXPECT_EQ((co_await run.set_state(RunState::cancelled, soon())).value(), 2U) << "waited";
        EXPECT_EQ((co_await run.set_state(RunState::cancelled, soon())).value(), 0U);
        WorkerQueue worker = queues.worker("w");
        EXPECT_TRUE((co_await worker.take(9, kLease, kProviders, soon())).value().jobs.empty());
        EXPECT_EQ((co_await run.set_state(RunState::running, soon())).error().kind,
                  ErrorKind::denied);
    });
}

TEST(QueueState, AFinishedRunLeavesNothingBehind) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 5);
        WorkerQueue worker = queues.worker("w");
        const Taken taken = (co_await worker.take(2, kLease, kProviders, soon())).value();
        (void)(co_await worker.done(taken.jobs[0].ref, "{}", soon())).value();
        (co_await run.set_state(RunState::done, soon())).value();
        (void)(co_await worker.done(taken.jobs[1].ref, "{}", soon())).value();
        for (const std::string& key :
             {queues.keys.jobs("r"), queues.keys.results("r"), queues.keys.base() + ":q:r",
              queues.keys.base() + ":lease"}) {
            const auto exists =
                co_await queues.client.execute_as<bool>(redis::Command("EXISTS", key), soon());
            EXPECT_FALSE(exists.value()) << key;
        }
    });
}

}  // namespace
}  // namespace evalfleet::queue
