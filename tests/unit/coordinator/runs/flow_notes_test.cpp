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

TEST(ThrottleNote, NamesWhoRefusesAndTheLearntLimit) {
    queue::LimitStats limit;
    limit.key = "main";
    limit.refused = 12;
    limit.calls = 84;
    limit.unmet = 35;
    EXPECT_EQ(throttle_note({limit}, {{"main", "main"}}),
              "throttled by main: 12 calls refused, limit now 84 calls at once, 35 calls wait");
    EXPECT_FALSE(throttle_note({limit}, {{"another", "another"}}));
    limit.refused = 0;
    EXPECT_FALSE(throttle_note({limit}, {{"main", "main"}}));
}

TEST(ThrottleNote, NamesTheProviderBesideAKeyThatSeveralShare) {
    queue::LimitStats limit;
    limit.key = "key:lab/small";
    limit.refused = 1;
    limit.rate = 2.5;
    EXPECT_EQ(throttle_note({limit}, {{"judge", "judge"}, {"main", "key:lab"}}),
              "throttled by main (key:lab/small): 1 call refused, limit now 2.5 calls/s");
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
