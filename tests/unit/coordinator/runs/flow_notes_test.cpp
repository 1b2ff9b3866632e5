#include "coordinator/runs/flow_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kNeeds{"main", "judge"};

WorkerFacts worker(std::string name, std::vector<std::string> providers) {
    return {std::move(name), std::move(providers), {}};
}

TEST(WorkerNotes, SayNothingWhereEveryWorkerCanWork) {
    EXPECT_THAT(worker_notes({worker("w-1", kNeeds), worker("w-2", kNeeds)}, kNeeds), IsEmpty());
    EXPECT_THAT(worker_notes({}, kNeeds), IsEmpty()) << "that there is none is said elsewhere";
}

TEST(WorkerNotes, NameAWorkerWithoutTheProvider) {
    EXPECT_THAT(worker_notes({worker("w-1", kNeeds), worker("w-2", {"main"})}, kNeeds),
                ElementsAre("worker w-2 has no provider 'judge' and is left aside"));
}

TEST(WorkerNotes, BeginWithAProviderThatNobodyHas) {
    WorkerFacts cut_off = worker("w-2", {"main"});
    cut_off.unreachable["main"] = "connection refused";
    EXPECT_THAT(
        worker_notes({worker("w-1", {}), cut_off}, kNeeds),
        ElementsAre("no worker has provider 'judge'; the run waits for one that has",
                    "worker w-2 cannot reach provider 'main' and is left aside: connection refused",
                    "worker w-1 has no provider 'main' and is left aside"));
}

// All refusals of a limit are of the last minute.
RecentRefusals minute_of(const std::vector<queue::LimitStats>& limits) {
    RecentRefusals refusals;
    const async::TimePoint begin{};
    refusals.observe({}, begin);
    refusals.observe(limits, begin + std::chrono::seconds(1));
    refusals.observe(limits, begin + std::chrono::seconds(60));
    return refusals;
}

TEST(ThrottleNote, NamesWhoRefusesAndTheLearntLimit) {
    queue::LimitStats limit;
    limit.key = "main";
    limit.refused = 12;
    limit.calls = 84;
    limit.unmet = 35;
    EXPECT_EQ(throttle_note({limit}, minute_of({limit}), {{"main", "main"}}),
              "throttled by main: 12 calls refused in the last minute, limit now 84 calls at once, "
              "35 calls wait");
    EXPECT_FALSE(throttle_note({limit}, {}, {{"another", "another"}}));
    limit.refused = 0;
    EXPECT_FALSE(throttle_note({limit}, {}, {{"main", "main"}}));
}

TEST(ThrottleNote, NamesTheProviderBesideAKeyThatSeveralShare) {
    queue::LimitStats limit;
    limit.key = "key:lab/small";
    limit.refused = 1;
    limit.rate = 2.5;
    EXPECT_EQ(throttle_note({limit}, minute_of({limit}), {{"judge", "judge"}, {"main", "key:lab"}}),
              "throttled by main (key:lab/small): 1 call refused in the last minute, limit now 2.5 "
              "calls/s");
}

/// What Redis said of a run a moment ago.
PoolWatch::View seen(std::uint64_t outstanding, std::uint64_t ready, std::uint64_t leased,
                     double running) {
    PoolWatch::View view;
    queue::RunStats run;
    run.run = "r";
    run.outstanding = outstanding;
    run.ready = ready;
    run.leased = leased;
    view.stats.runs = {run};
    queue::LimitStats limit;
    limit.running = running;
    view.limits = {limit};
    return view;
}

TEST(FlowOf, TellsCallsWaitsRetriesAndTheQueueApart) {
    EXPECT_EQ(flow_of(seen(40, 20, 12, 7.2), "r", 100), (FlowFigures{8, 4, 8, 80}));
    EXPECT_EQ(flow_of(seen(40, 20, 12, 7.2), "another", 100), (FlowFigures{0, 0, 0, 100}));
    EXPECT_EQ(flow_of({}, "r", 5), (FlowFigures{0, 0, 0, 5}));
}

TEST(FlowOf, AddsUpToTheTrialsWithoutARecordHoweverOldTheViewIs) {
    for (const std::uint64_t outstanding : {0U, 5U, 30U, 60U}) {
        for (const std::uint64_t ready : {0U, 3U, 30U}) {
            for (const std::uint64_t leased : {0U, 1U, 25U}) {
                for (std::uint64_t open = 0; open <= 64; ++open) {
                    const FlowFigures figures =
                        flow_of(seen(outstanding, ready, leased, 12.5), "r", open);
                    EXPECT_EQ(
                        figures.in_flight + figures.waiting + figures.retrying + figures.queued,
                        open)
                        << outstanding << " " << ready << " " << leased;
                }
            }
        }
    }
    EXPECT_EQ(flow_of(seen(10, 0, 4, 4), "r", 7), (FlowFigures{1, 0, 6, 0}))
        << "three came home since";
    EXPECT_EQ(flow_of(seen(10, 0, 4, 4), "r", 0), (FlowFigures{}));
}

TEST(LearntLimits, AreThoseOfTheRunsProvidersThatRefusedCalls) {
    queue::LimitStats at_once, per_second, quiet;
    at_once.key = "main";
    at_once.refused = 12;
    at_once.calls = 84;
    per_second.key = "judge/small";
    per_second.refused = 1;
    per_second.rate = 9.5;
    quiet.key = "judge";
    quiet.calls = 16;
    const job::LearntLimits expected{{"main", {84.0, {}}}, {"judge (judge/small)", {{}, 9.5}}};
    const std::vector<LimitAccount> accounts{{"main", "main"}, {"judge", "judge"}};
    EXPECT_EQ(learnt_limits({at_once, per_second, quiet}, accounts), expected);
    EXPECT_THAT(learnt_limits({at_once}, {{"another", "another"}}), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::runs
