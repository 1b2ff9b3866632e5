#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "tests/support/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace evalfleet {
namespace {

using testing::Fleet;
using ::testing::HasSubstr;
using ::testing::Not;

void expect_every_trial_once(Fleet& fleet, std::size_t repeats) {
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * repeats);
    for (const auto& [trial, count] : ledger)
        EXPECT_EQ(count, 1) << trial.first;
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_THAT(fleet.find_leftovers(), ::testing::IsEmpty());
}

TEST(CoordinatorRun, IsPausedAndResumed) {
    Fleet fleet;
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(20));
    ASSERT_TRUE(fleet.steer("pause"));
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "paused"; }, 10));
    EXPECT_FALSE(fleet.await_end(2)) << "it went on";
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "paused"; }, 10))
        << "a restart forgot that it was paused";
    ASSERT_TRUE(fleet.steer("resume"));
    ASSERT_TRUE(fleet.await_end(60));
    expect_every_trial_once(fleet, 8);
    EXPECT_FALSE(fleet.steer("pause")) << "it is over";
}

TEST(CoordinatorRun, KeepsWhatItHasWhenCancelledAndSaysThatItIsIncomplete) {
    Fleet fleet;
    fleet.submit(40);
    ASSERT_TRUE(fleet.await_done(50));
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(30));
    EXPECT_EQ(fleet.progress()->state, "cancelled");
    const auto ledger = fleet.read_ledger();
    EXPECT_GE(ledger.size(), 50U);
    EXPECT_LT(ledger.size(), Fleet::kSamples * 40);
    const auto summary = files::blocking_read_file(fleet.run_folder() / "summary.json", 1 << 24);
    EXPECT_THAT(summary.value(), HasSubstr("\"incomplete\": true"));
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_THAT(fleet.find_leftovers(), ::testing::IsEmpty());
}

TEST(CoordinatorRun, WaitsForAWorkerAndSaysSo) {
    Fleet fleet({.workers = 0});
    fleet.submit(1);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.note.has_value(); }, 30));
    EXPECT_THAT(fleet.progress()->note.value(), HasSubstr("no worker"));
    fleet.add_worker();
    ASSERT_TRUE(fleet.await_end(60));
    expect_every_trial_once(fleet, 1);
}

TEST(CoordinatorRun, TakesUpTheJobsOfAKilledWorker) {
    Fleet fleet({.workers = 1, .latency_ms = "1500"});
    fleet.submit(1);
    ASSERT_TRUE(fleet.await_done(1));
    fleet.kill_worker(0);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.done >= 12; }, 60));
}

TEST(CoordinatorRun, SurvivesTheLossOfEverythingInRedis) {
    Fleet fleet;
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(50));
    fleet.flush_redis();
    ASSERT_TRUE(fleet.await_end(60));
    EXPECT_EQ(fleet.progress()->state, "done");
    expect_every_trial_once(fleet, 8);
}

TEST(CoordinatorRun, HoldsBackWhileRedisIsFullAndGoesOnWhenThereIsRoom) {
    Fleet fleet({.workers = 0, .coordinator = {"--window-jobs", "10"}});
    fleet.submit(2);
    ASSERT_TRUE(fleet.await(
        [](const auto& now) { return now.note && now.note->find("no worker") == 0; }, 30))
        << "then the window is full";
    fleet.limit_redis_memory("1mb");  // less than it uses when empty
    fleet.add_worker();
    ASSERT_TRUE(fleet.await(
        [](const auto& now) { return now.note && now.note->find("memory") != std::string::npos; },
        30));
    fleet.limit_redis_memory("0");
    ASSERT_TRUE(fleet.await_end(60));
    expect_every_trial_once(fleet, 2);
}

TEST(CoordinatorRun, WarnsOfARedisThatForgetsWhenItIsFull) {
    Fleet fleet({.workers = 0});
    fleet.submit(1);
    EXPECT_THAT(fleet.coordinator_log(), Not(HasSubstr("noeviction")));
    fleet.let_redis_evict();
    EXPECT_TRUE(fleet.await(
        [&](const auto&) {
            return fleet.coordinator_log().find("set maxmemory-policy to noeviction") !=
                   std::string::npos;
        },
        30))
        << fleet.coordinator_log();
}

// The log may not grow: the same to the coordinator as a disk without room.
TEST(CoordinatorRun, StopsFeedingWhenTheLogCannotGrowAndLosesNothing) {
    Fleet fleet({.coordinator = {"--window-jobs", "50"}});
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(40));
    rlimit before{};
    ASSERT_EQ(::prlimit(fleet.coordinator().pid(), RLIMIT_FSIZE, nullptr, &before), 0);
    rlimit tight = before;
    tight.rlim_cur = 1024;
    ASSERT_EQ(::prlimit(fleet.coordinator().pid(), RLIMIT_FSIZE, &tight, nullptr), 0);
    ASSERT_TRUE(fleet.await(
        [](const auto& now) {
            return now.note && now.note->find("nothing goes out") != std::string::npos;
        },
        60));
    const auto stuck = fleet.progress()->done;
    EXPECT_FALSE(fleet.await_done(stuck + 1, 3)) << "it was written all the same";
    ASSERT_EQ(::prlimit(fleet.coordinator().pid(), RLIMIT_FSIZE, &before, nullptr), 0);
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->state, "done");
    expect_every_trial_once(fleet, 8);
}

TEST(CoordinatorRun, EndsOnceTheVerdictIsCertainAndSaysSo) {
    Fleet fleet;
    // Calls that are under way are waited for: only a few are.
    fleet.submit(1, R"(,"early_stop":"gates","limits":{"max_in_flight":2},)"
                    R"("policy":{"gates":{"min_aggregate_score":0,"min_pass_rate":1,)"
                    R"("max_faithfulness_failure_rate":1}})");
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->state, "done");
    EXPECT_LT(fleet.read_ledger().size(), Fleet::kSamples) << "one failure decides it";
    const auto summary = files::blocking_read_file(fleet.run_folder() / "summary.json", 1 << 24);
    EXPECT_THAT(summary.value(), HasSubstr("\"stopped_early\": true"));
    EXPECT_THAT(summary.value(), HasSubstr("\"intervals_of_fixed_size\": false"));
    EXPECT_THAT(summary.value(), HasSubstr("\"always_valid\": {"));
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(CoordinatorRun, RefusesASubmissionThatIsWrongAndKeepsNothingOfIt) {
    Fleet fleet({.workers = 0});
    EXPECT_THROW(fleet.submit(0), std::runtime_error);
    EXPECT_THROW(fleet.submit(1, R"(,"unknown":1)"), std::runtime_error);
    EXPECT_THROW(fleet.submit(1, R"(,"policy":{"weights":{"accuracy":45,"faithfulness":30,)"
                                 R"("latency":15,"token_efficiency":10}})"),
                 std::runtime_error);
}

}  // namespace
}  // namespace evalfleet
