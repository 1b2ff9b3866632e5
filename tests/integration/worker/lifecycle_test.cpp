#include "tests/integration/worker/fleet.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <set>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

/// Holds the model's first call; all others are answered at once.
Action hold_first(const SeenCall& call) {
    if (call.model == "j") return {.body = completion(verdict())};
    return {.body = completion("answer " + std::to_string(call.number)), .held = call.number == 1};
}

/// The same, but the first one is refused in the end.
Action hold_first_and_refuse(const SeenCall& call) {
    Action action = hold_first(call);
    if (action.held) action.status = 400;
    return action;
}

/// Holds the judge's calls, and the others longer than the first; the model answers at once.
Action hold_judge(const SeenCall& call) {
    if (call.model != "j") return {.body = completion("answer")};
    const std::chrono::milliseconds delay{call.number == 1 ? 0 : 150};
    return {.body = completion(verdict()), .delay = delay, .held = true};
}

constexpr std::size_t kTrials = 6;

/// Trials that all wait for their judge, with a Redis that does not answer: when the judge does,
/// the first result is on its way and the others wait to go together.
void let_results_pile_up(Fleet& fleet) {
    for (std::uint64_t index = 0; index < kTrials; ++index)
        fleet.enqueue(index);
    ASSERT_TRUE(fleet.models().blocking_await_calls("j", kTrials));
    fleet.redis().freeze();
    fleet.models().release_held();
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    ASSERT_TRUE(blocking_eventually([&] { return std::chrono::steady_clock::now() > end; }));
}

/// Which trials have results, until all have.
std::multiset<std::uint64_t> blocking_all_results(Fleet& fleet) {
    std::multiset<std::uint64_t> seen;
    while (std::set<std::uint64_t>(seen.begin(), seen.end()).size() < kTrials)
        seen.insert(fleet.blocking_next_result().index);
    return seen;
}

const std::vector<std::string> kShortLease{"--lease", "600ms"};

TEST(WorkerLifecycle, FinishesWhatItHoldsAfterSigterm) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGTERM);
    ASSERT_TRUE(worker->blocking_await_line("draining"));
    fleet.enqueue(1);
    fleet.models().release_held();
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 1");
    EXPECT_EQ(worker->blocking_await_exit(), 0);
    const queue::PoolStats stats = fleet.stats();
    EXPECT_EQ(stats.workers, 0U);
    EXPECT_EQ(stats.leased, 0U);
    EXPECT_EQ(stats.runs.at(0).ready, 1U);  // the second job was not taken
}

TEST(WorkerLifecycle, HandsBackWhatItCannotFinishInTime) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker({"--drain-timeout", "0"});
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0) << worker->output();
    const queue::PoolStats stats = fleet.stats();
    EXPECT_EQ(stats.leased, 0U);
    EXPECT_EQ(stats.runs.at(0).ready, 1U);
    const auto other = fleet.start_worker();
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 2");
}

TEST(WorkerLifecycle, HandsBackAtOnceWhatOnlyWaitsForAPermit) {
    Fleet fleet(hold_first);
    fleet.write_provider(R"("max_concurrent": 1)");
    const auto worker = fleet.start_worker({"--drain-timeout", "1h"});
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    fleet.enqueue(1);
    ASSERT_TRUE(blocking_eventually([&] { return fleet.stats().leased == 2; }));
    worker->signal(SIGTERM);
    EXPECT_TRUE(blocking_eventually([&] { return fleet.stats().runs.at(0).ready == 1; }));
    EXPECT_EQ(fleet.stats().leased, 1U) << "the call at the provider goes on";
    fleet.models().release_held();
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 1") << "its judge's call as well";
    EXPECT_EQ(worker->blocking_await_exit(), 0) << worker->output();
    EXPECT_EQ(fleet.models().count_calls("m"), 1U);
}

TEST(WorkerLifecycle, HandsBackAtOnceWhatWaitsForItsNextAttempt) {
    const auto refuse = [](const SeenCall&) -> Action {
        return {.status = 500, .body = "{}", .headers = {{"retry-after", "60"}}};
    };
    Fleet fleet(refuse);
    const auto worker = fleet.start_worker({"--drain-timeout", "1h"});
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0) << worker->output();
    const queue::PoolStats stats = fleet.stats();
    EXPECT_EQ(stats.leased, 0U);
    EXPECT_EQ(stats.runs.at(0).ready, 1U);
}

TEST(WorkerLifecycle, LeavesAtOnceAfterASecondSignal) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker({"--drain-timeout", "1h"});
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGTERM);
    ASSERT_TRUE(worker->blocking_await_line("draining"));
    worker->signal(SIGINT);
    EXPECT_EQ(worker->blocking_await_exit(), 130);
    EXPECT_EQ(fleet.stats().leased, 1U);
}

TEST(WorkerLifecycle, LeavesItsJobsToOthersWhenItIsKilled) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker(kShortLease);
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGKILL);
    EXPECT_EQ(worker->blocking_await_exit(), -SIGKILL);
    const auto other = fleet.start_worker(kShortLease);
    const queue::RunResult result = fleet.blocking_next_result();
    EXPECT_EQ(result.attempt, 2U);
    EXPECT_THAT(result.value, HasSubstr("answer 2"));
}

TEST(WorkerLifecycle, LosesNoTrialWhenItIsKilledWithResultsOnTheirWay) {
    Fleet fleet(hold_judge);
    fleet.write_provider(R"("max_concurrent": 8)");
    const auto worker = fleet.start_worker(kShortLease);
    let_results_pile_up(fleet);
    worker->signal(SIGKILL);
    EXPECT_EQ(worker->blocking_await_exit(), -SIGKILL);
    fleet.redis().thaw();
    const auto other = fleet.start_worker(kShortLease);
    blocking_all_results(fleet);
    other->signal(SIGTERM);
    EXPECT_EQ(other->blocking_await_exit(), 0) << other->output();
    const queue::PoolStats stats = fleet.stats();
    EXPECT_EQ(stats.leased, 0U);
    EXPECT_EQ(stats.runs.at(0).outstanding, 0U);
    EXPECT_EQ(fleet.count_results(), 0U) << "no trial has two results";
}

TEST(WorkerLifecycle, HandsItsResultsOverBeforeItEnds) {
    Fleet fleet(hold_judge);
    fleet.write_provider(R"("max_concurrent": 8)");
    const auto worker = fleet.start_worker();
    let_results_pile_up(fleet);
    worker->signal(SIGTERM);
    ASSERT_TRUE(worker->blocking_await_line("draining"));
    fleet.redis().thaw();
    EXPECT_EQ(worker->blocking_await_exit(), 0) << worker->output();
    EXPECT_EQ(blocking_all_results(fleet).size(), kTrials);
    EXPECT_EQ(fleet.stats().runs.at(0).outstanding, 0U);
    EXPECT_EQ(fleet.models().count_calls("m"), kTrials);
}

TEST(WorkerLifecycle, KeepsTheLeaseOfALongCall) {
    const std::vector<std::string> kLease{"--lease", "2s"};
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker(kLease);
    const auto other = fleet.start_worker(kLease);
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5'000);
    ASSERT_TRUE(blocking_eventually([&] { return std::chrono::steady_clock::now() > end; }));
    fleet.models().release_held();
    EXPECT_EQ(fleet.blocking_next_result().attempt, 1U);
    EXPECT_EQ(fleet.models().count_calls("m"), 1U);
}

TEST(WorkerLifecycle, DeliversASuccessWhoseLeaseWasLost) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker(kShortLease);
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGSTOP);
    const auto other = fleet.start_worker(kShortLease);
    EXPECT_EQ(fleet.blocking_next_result().attempt, 2U);
    worker->signal(SIGCONT);
    ASSERT_TRUE(worker->blocking_await_line("lease lost"));
    fleet.models().release_held();
    const queue::RunResult late = fleet.blocking_next_result();
    EXPECT_EQ(late.attempt, 1U);
    EXPECT_THAT(late.value, HasSubstr("answer 1"));
}

TEST(WorkerLifecycle, DoesNotDeliverAFailureWhoseLeaseWasLost) {
    Fleet fleet(hold_first_and_refuse);
    const auto worker = fleet.start_worker(kShortLease);
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    worker->signal(SIGSTOP);
    const auto other = fleet.start_worker(kShortLease);
    EXPECT_EQ(fleet.blocking_next_result().attempt, 2U);
    worker->signal(SIGCONT);
    ASSERT_TRUE(worker->blocking_await_line("lease lost"));
    fleet.models().release_held();
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0);
    EXPECT_EQ(fleet.count_results(), 0U);
}

TEST(WorkerLifecycle, StopsTheCallsOfACancelledRun) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker(kShortLease);
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    fleet.cancel_run();
    EXPECT_TRUE(blocking_eventually([&] { return fleet.stats().leased == 0; }));
    EXPECT_EQ(fleet.count_results(), 0U);
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0);
}

TEST(WorkerLifecycle, PushesItsRecordWhenRedisIsBack) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    fleet.redis().kill();
    ASSERT_TRUE(worker->blocking_await_line("Redis cannot be reached"));
    fleet.models().release_held();
    ASSERT_TRUE(fleet.models().blocking_await_calls("j", 1));
    fleet.redis().restart();
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 1");
    EXPECT_EQ(fleet.models().count_calls("m"), 1U);
}

TEST(WorkerLifecycle, GoesOnWorkingAfterRedisWasRestarted) {
    Fleet fleet(hold_first);
    const auto worker = fleet.start_worker();
    ASSERT_TRUE(worker->blocking_await_line("connected to Redis"));
    fleet.redis().restart();
    fleet.models().release_held();
    fleet.enqueue(0);
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 1");
}

TEST(WorkerLifecycle, WaitsForARunThatRedisHasForgotten) {
    Fleet fleet(hold_first);
    fleet.models().release_held();
    fleet.enqueue(0);
    fleet.forget_spec();
    const auto worker = fleet.start_worker();
    ASSERT_TRUE(blocking_eventually([&] { return fleet.stats().leased == 1; }));
    fleet.own_run();
    EXPECT_EQ(fleet.blocking_next_record().answer, "answer 1");
}

}  // namespace
}  // namespace evalfleet::worker
