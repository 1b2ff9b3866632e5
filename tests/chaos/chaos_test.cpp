#include "tests/chaos/campaign.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/redis_commander.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>

namespace evalfleet {
namespace {

using chaos::TestBed;
using chaos::TestBedOptions;
using testing::Fleet;

std::size_t count_repeats(const Fleet::Ledger& ledger) {
    return static_cast<std::size_t>(std::count_if(
        ledger.begin(), ledger.end(), [](const auto& entry) { return entry.second > 1; }));
}

// Every group of faults has a fleet of its own, one fault a round; each round has several runs at
// once, whose windows fill, and one of them is paused, cancelled, deleted, or ends early meanwhile.
class ChaosOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ChaosOf, LosesNothingDoublesNothingLeavesNothing) {
    for (const std::uint32_t seed : chaos::seeds()) {
        SCOPED_TRACE("EVALFLEET_CHAOS_SEED=" + std::to_string(seed));
        const auto faults = chaos::faults_of(GetParam());
        ASSERT_FALSE(faults.empty());
        chaos::play_all({}, chaos::draw_rounds(faults, chaos::rounds_of_group(), seed));
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, ChaosOf,
                         ::testing::Values("Processes", "Moments", "Redis", "Disk",
                                           "coordinator-redis", "worker-redis", "worker-provider",
                                           "client-api"),
                         [](const auto& group) {
                             std::string name = group.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(Chaos, AFailoverOfASentinelToAReplicaThatLagsLosesNothing) {
    for (const std::uint32_t seed : chaos::seeds())
        chaos::play_all({.redis = TestBedOptions::Redis::sentinel},
                        chaos::draw_rounds(chaos::faults_of("sentinel"), 1, seed));
}

TEST(Chaos, AFailoverOfAClusterToAReplicaThatLagsLosesNothing) {
    for (const std::uint32_t seed : chaos::seeds())
        chaos::play_all({.redis = TestBedOptions::Redis::cluster},
                        chaos::draw_rounds(chaos::faults_of("cluster"), 1, seed));
}

// A replica knows nothing of the end of a run: workers are handed its last window once more until
// Redis is told, and nothing of it stays.
TEST(Chaos, ARunThatEndedAndComesBackWithASentinelsFailoverIsEndedAgain) {
    for (const std::uint32_t seed : chaos::seeds())
        chaos::play_all({.redis = TestBedOptions::Redis::sentinel},
                        chaos::draw_rounds(chaos::faults_of("sentinel, ended run"), 1, seed));
}

TEST(Chaos, ARunThatEndedAndComesBackWithAClustersFailoverIsEndedAgain) {
    for (const std::uint32_t seed : chaos::seeds())
        chaos::play_all({.redis = TestBedOptions::Redis::cluster},
                        chaos::draw_rounds(chaos::faults_of("cluster, ended run"), 1, seed));
}

std::vector<const chaos::Fault*> faults_of_groups(std::initializer_list<const char*> groups) {
    std::vector<const chaos::Fault*> all;
    for (const char* group : groups) {
        const auto faults = chaos::faults_of(group);
        all.insert(all.end(), faults.begin(), faults.end());
    }
    return all;
}

TEST(Chaos, FaultsOfAllKindsInARowLoseNothing) {
    const auto faults = faults_of_groups(
        {"Processes", "Redis", "Disk", "coordinator-redis", "worker-redis", "worker-provider"});
    for (const std::uint32_t seed : chaos::seeds()) {
        SCOPED_TRACE("EVALFLEET_CHAOS_SEED=" + std::to_string(seed));
        chaos::play_all({}, {chaos::draw_sequence(faults, chaos::faults_in_sequence(), seed)});
    }
}

// A window of bytes that holds a few trials only, answers that are read in pieces.
TEST(Chaos, LargeTrialsAreNeitherLostNorDoubled) {
    const auto faults = faults_of_groups({"Processes", "worker-redis", "coordinator-redis"});
    for (const std::uint32_t seed : chaos::seeds()) {
        SCOPED_TRACE("EVALFLEET_CHAOS_SEED=" + std::to_string(seed));
        auto rounds = chaos::draw_rounds(faults, 2, seed);
        for (chaos::Round& round : rounds)
            round.steering =
                round.steering == chaos::Steering::paused ? round.steering : chaos::Steering::plain;
        chaos::play_all({.large_payloads = true}, rounds, "large trials");
    }
}

// With leases as they are by default. The run allows itself no more calls than the first worker
// has, so that the second one is free.
TEST(Chaos, WhatAKilledWorkerHeldRunsElsewhereWithin35Seconds) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kPromise{35};
    constexpr std::chrono::seconds kCall{5};
    constexpr std::size_t kHeld = 4;
    Fleet fleet({.workers = 1,
                 .max_concurrent = kHeld,
                 .simulator = {"--fault-hang", "1", "--hang", "5s"},
                 .lease = ""});
    fleet.submit(1, R"(,"limits":{"max_in_flight":4})");
    const auto await_figure = [&](const char* name, std::uint64_t number) {
        return Fleet::await_true([&] { return fleet.figure(name) == number; },
                                 Clock::now() + std::chrono::seconds(20));
    };
    ASSERT_TRUE(await_figure("leased", kHeld));
    fleet.add_worker();
    ASSERT_TRUE(await_figure("workers", 2));
    fleet.end_worker(0);
    const Clock::time_point killed = Clock::now();

    const auto called_between = [&](Clock::time_point from, Clock::time_point to) {
        std::set<std::string> keys;
        for (const Fleet::SeenCall& call : fleet.read_calls())
            if (call.arrival >= from && call.arrival < to) keys.insert(call.key);
        return keys;
    };
    const auto again = [&] { return called_between(killed, killed + kPromise); };
    // A call is seen when it is over; when it began is what counts.
    (void)Fleet::await_true([&] { return again().size() == kHeld; }, killed + kPromise + 2 * kCall);
    const std::set<std::string> held = called_between({}, killed);
    EXPECT_EQ(held.size(), kHeld) << "it was not killed in the middle of its calls";
    EXPECT_EQ(again(), held);
    EXPECT_EQ(fleet.progress()->done, 0U) << "what is done is not done again";
}

// The controls: what the test above relies on must be able to fail.

TEST(ChaosControl, WithoutTheAuditALossOfDataStallsTheRun) {
    Fleet fleet({.coordinator = {"--test-hook", "audit"}});
    fleet.submit(20);
    ASSERT_TRUE(fleet.await_done(100));
    fleet.flush_redis();
    EXPECT_FALSE(fleet.await_end(8)) << "it ended although its jobs were lost";
}

TEST(ChaosControl, WithoutDroppingRepeatsALostLeaseIsCountedTwice) {
    Fleet fleet({.coordinator = {"--test-hook", "dedup"}});
    fleet.submit(10);
    ASSERT_TRUE(fleet.await_done(60));
    for (std::size_t worker = 0; worker < 2; ++worker)
        fleet.stop_worker(worker);
    sleep(4);  // their jobs are done by the third meanwhile
    for (std::size_t worker = 0; worker < 2; ++worker)
        fleet.continue_worker(worker);
    ASSERT_TRUE(fleet.await_end(60));
    const auto end = fleet.progress();
    const bool noticed = end->state == "failed" || count_repeats(fleet.read_ledger()) > 0;
    EXPECT_TRUE(noticed) << "no trial was counted twice";
}

// What the checks look at is real: each finds what is planted after a run that went well.
TEST(ChaosControl, WhatIsPlantedAfterAGoodRunIsFound) {
    TestBed test_bed;
    const TestBed::Run run = test_bed.submit(chaos::Steering::plain);
    ASSERT_TRUE(Fleet::await_true([&] { return test_bed.are_over({run}); },
                                  std::chrono::steady_clock::now() + std::chrono::seconds(90)));
    EXPECT_EQ(check_run(test_bed.outcome(run)), chaos::Findings());
    EXPECT_EQ(check_keys(test_bed.keys(), {run.id}), chaos::Findings());
    EXPECT_EQ(test_bed.unknown_runs(), chaos::Findings());
    const chaos::Calls calls = test_bed.calls(0);
    EXPECT_EQ(chaos::check_repeated(calls, TestBed::kRepeats, 0), chaos::Findings());
    EXPECT_FALSE(chaos::check_repeated(calls, TestBed::kRepeats - 1, 0).empty());

    const redis::Command leftover("SET", "ef:{main}:job:" + run.id, "1");
    (void)testing::blocking_command(test_bed.fleet().redis().url(), leftover);
    EXPECT_EQ(check_keys(test_bed.keys(), {run.id}).size(), 1U);
    std::filesystem::create_directory(test_bed.fleet().store() / "runs" / "another");
    EXPECT_EQ(test_bed.unknown_runs().size(), 1U);

    const auto records = test_bed.fleet().run_folder() / "records.jsonl";
    std::string first;
    std::getline(std::ifstream(records) >> std::ws, first);
    std::ofstream(records, std::ios::app) << first << "\n";
    const chaos::RunOutcome doctored = test_bed.outcome(run);
    EXPECT_EQ(count_doubled(doctored), 1U);
    EXPECT_EQ(check_run(doctored).size(), 2U) << "twice in the records, and not verified";
}

}  // namespace
}  // namespace evalfleet
