#include "worker/executor/result_sender.hpp"

#include "common/async/run_all.hpp"
#include "common/async/task_group.hpp"
#include "tests/integration/queue/queue_scenario.hpp"

#include <optional>
#include <regex>
#include <set>

namespace evalfleet::worker {
namespace {

namespace asio = boost::asio;
using queue::Delivery;
using queue::Queues;
using queue::soon;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

/// What became of results that were all sent at once; empty: its sending was cancelled.
using Outcomes = std::vector<std::optional<Result<Delivery>>>;

queue::JobResult result_of(std::string run, std::uint64_t index, std::string record = "x") {
    return {{std::move(run), index, 1}, std::move(record), {}};
}

std::vector<queue::JobResult> results_of(const std::string& run, std::uint64_t count,
                                         const std::string& record = "x") {
    std::vector<queue::JobResult> results;
    for (std::uint64_t n = 0; n < count; ++n)
        results.push_back(result_of(run, n, record));
    return results;
}

asio::awaitable<void> send(ResultSender& sender, queue::JobResult result,
                           std::optional<Result<Delivery>>& outcome) {
    outcome = co_await sender.send(std::move(result));
}

asio::awaitable<void> send_each(ResultSender& sender, std::vector<queue::JobResult> results,
                                Outcomes& outcomes) {
    outcomes.resize(results.size());
    async::TaskGroup sends(co_await asio::this_coro::executor, [](const std::exception_ptr&) {});
    for (std::size_t n = 0; n < results.size(); ++n)
        sends.spawn(send(sender, std::move(results[n]), outcomes[n]));
    co_await sends.join();
}

asio::awaitable<Outcomes> send_all(Queues& queues, std::vector<queue::JobResult> results) {
    async::SystemClock clock;
    queue::WorkerQueue worker = queues.worker("w");
    ResultSender sender(clock, worker);
    Outcomes outcomes;
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(sender.run());
    roles.push_back(send_each(sender, std::move(results), outcomes));
    (void)co_await async::run_all(std::move(roles));
    co_return outcomes;
}

asio::awaitable<std::size_t> count_calls(Queues& queues) {
    const redis::Command info("INFO", "commandstats");
    const auto text = (co_await queues.client.execute_as<std::string>(info, soon())).value();
    std::smatch match;
    if (!std::regex_search(text, match, std::regex("cmdstat_fcall:calls=(\\d+)"))) co_return 0;
    co_return std::stoul(match[1]);
}

/// Calls that it took to send them.
asio::awaitable<std::size_t> calls_for(Queues& queues, std::vector<queue::JobResult> results) {
    const std::size_t before = co_await count_calls(queues);
    const Outcomes outcomes = co_await send_all(queues, std::move(results));
    for (const auto& outcome : outcomes)
        EXPECT_EQ(outcome.value().value(), Delivery::finished);
    co_return co_await count_calls(queues) - before;
}

TEST(ResultSender, SendsWhatIsReadyInOneCall) {
    queue::play_queue([](Queues& queues) -> asio::awaitable<void> {
        queue::RunQueue run = queues.run("r");
        co_await open_run(run, 100);
        EXPECT_THAT(co_await calls_for(queues, results_of("r", 100)), AllOf(Ge(1U), Le(3U)));
    });
}

TEST(ResultSender, BoundsTheCountAndTheBytesOfACall) {
    queue::play_queue([](Queues& queues) -> asio::awaitable<void> {
        queue::RunQueue small = queues.run("small");
        co_await open_run(small, 500);
        EXPECT_THAT(co_await calls_for(queues, results_of("small", 500)), AllOf(Ge(4U), Le(10U)));
        queue::RunQueue large = queues.run("large");
        co_await open_run(large, 8);
        const std::string record(100'000, 'x');
        EXPECT_EQ(co_await calls_for(queues, results_of("large", 8, record)), 4U)
            << "two fit, a third does not";
        queue::RunQueue huge = queues.run("huge");
        co_await open_run(huge, 3);
        const std::string whole(1'000'000, 'x');
        EXPECT_EQ(co_await calls_for(queues, results_of("huge", 3, whole)), 3U) << "alone";
    });
}

TEST(ResultSender, DoesNotSpoilTheOthersOfABatchThatRedisRefuses) {
    queue::play_queue([](Queues& queues) -> asio::awaitable<void> {
        queue::RunQueue good = queues.run("good");
        queue::RunQueue bad = queues.run("bad");
        co_await open_run(good, 20);
        co_await open_run(bad, 1);
        const redis::Command spoil("SET", "ef:{main}:res:bad", "not a stream");
        (void)(co_await queues.client.execute(spoil, soon())).value();
        std::vector<queue::JobResult> results = results_of("good", 20);
        results.insert(results.begin() + 10, result_of("bad", 0));
        const Outcomes outcomes = co_await send_all(queues, std::move(results));
        for (std::size_t n = 0; n < outcomes.size(); ++n)
            EXPECT_EQ(outcomes[n].value().has_value(), n != 10) << n;
        constexpr std::chrono::milliseconds kMoment{1};
        const auto stored = (co_await good.results(queues.client, 1000, kMoment, soon())).value();
        std::set<std::uint64_t> indexes;
        for (const queue::RunResult& result : stored)
            indexes.insert(result.index);
        EXPECT_EQ(indexes.size(), 20U) << "some may be there twice, none is missing";
    });
}

TEST(ResultSender, ForgetsAResultWhoseSenderIsCancelledBeforeItWent) {
    queue::play_queue([](Queues& queues) -> asio::awaitable<void> {
        queue::RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        async::SystemClock clock;
        queue::WorkerQueue worker = queues.worker("w");
        ResultSender sender(clock, worker);  // nobody runs it yet
        Outcomes cancelled(1);
        async::TaskGroup sends(co_await asio::this_coro::executor,
                               [](const std::exception_ptr&) {});
        sends.spawn(send(sender, result_of("r", 0), cancelled[0]));
        co_await clock.wait_for(std::chrono::milliseconds(1));
        sends.cancel();
        co_await sends.join();
        EXPECT_FALSE(cancelled[0]);
        Outcomes outcomes;
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(sender.run());
        std::vector<queue::JobResult> rest;
        rest.push_back(result_of("r", 1));
        roles.push_back(send_each(sender, std::move(rest), outcomes));
        (void)co_await async::run_all(std::move(roles));
        EXPECT_EQ(outcomes[0].value().value(), Delivery::finished);
        constexpr std::chrono::milliseconds kMoment{1};
        const auto stored = (co_await run.results(queues.client, 10, kMoment, soon())).value();
        EXPECT_EQ(stored.size(), 1U);
        EXPECT_EQ(stored.at(0).index, 1U);
    });
}

}  // namespace
}  // namespace evalfleet::worker
