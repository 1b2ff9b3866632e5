#include "tests/support/fleet.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <random>
#include <set>

namespace evalfleet {
namespace {

using testing::Fleet;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::size_t count_repeats(const Fleet::Ledger& ledger) {
    return static_cast<std::size_t>(std::count_if(
        ledger.begin(), ledger.end(), [](const auto& entry) { return entry.second > 1; }));
}

struct Fault {
    const char* name;
    void (*strike)(Fleet& fleet, std::size_t worker);
};

void stop_for_a_while(Fleet& fleet, std::size_t worker) {
    fleet.stop_worker(worker);
    sleep(3);  // longer than its lease
    fleet.continue_worker(worker);
}

constexpr Fault kRemember{"remember redis",
                          [](Fleet& fleet, std::size_t) { fleet.remember_redis(); }};
constexpr Fault kRollBack{"roll redis back",
                          [](Fleet& fleet, std::size_t) { fleet.roll_redis_back(); }};
constexpr Fault kOthers[] = {
    {"kill worker", [](Fleet& fleet, std::size_t worker) { fleet.kill_worker(worker); }},
    {"kill coordinator", [](Fleet& fleet, std::size_t) { fleet.kill_coordinator(); }},
    {"kill redis", [](Fleet& fleet, std::size_t) { fleet.kill_redis(); }},
    {"flush redis", [](Fleet& fleet, std::size_t) { fleet.flush_redis(); }},
    {"stop worker", stop_for_a_while},
};

// Every kind of fault once, in a drawn order, but Redis goes back behind all of them: then its
// jobs, leases and the coordinator's epoch are old ones. After that any of them, again and again.
std::vector<Fault> draw_faults(std::size_t count, std::mt19937& random) {
    std::vector<Fault> kinds(std::begin(kOthers), std::end(kOthers));
    std::shuffle(kinds.begin(), kinds.end(), random);
    kinds.insert(kinds.begin(), kRemember);
    kinds.push_back(kRollBack);
    std::vector<Fault> faults = kinds;
    while (faults.size() < count)
        faults.push_back(kinds[random() % kinds.size()]);
    return faults;
}

TEST(Chaos, EveryTrialIsRecordedExactlyOnceWhateverIsKilled) {
    std::mt19937 random(static_cast<unsigned>(from_environment("EVALFLEET_CHAOS_SEED", 1)));
    const std::vector<Fault> faults =
        draw_faults(from_environment("EVALFLEET_CHAOS_FAULTS", 10), random);
    const int repeats = static_cast<int>(12 + faults.size() * 2);
    Fleet fleet;
    fleet.submit(repeats);
    std::string story;
    for (const Fault& fault : faults) {
        const auto now = fleet.progress();
        ASSERT_TRUE(fleet.await_done((now ? now->done : 0) + 40))
            << story << fleet.coordinator_log();
        story += std::string(fault.name) + "\n";
        fault.strike(fleet, random() % 3);
    }
    ASSERT_TRUE(fleet.await_end(120)) << story << fleet.coordinator_log();
    ASSERT_EQ(fleet.progress()->state, "done") << story << fleet.progress()->note.value_or("");
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * static_cast<std::size_t>(repeats)) << story;
    EXPECT_EQ(count_repeats(ledger), 0U) << story;
    EXPECT_EQ(fleet.verify(), 0) << story;
    EXPECT_EQ(fleet.find_leftovers(), std::vector<std::string>()) << story;
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

}  // namespace
}  // namespace evalfleet
