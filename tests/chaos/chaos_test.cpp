#include "tests/support/fleet.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

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

// One fault, drawn. Returns its name.
std::string strike(Fleet& fleet, std::mt19937& random) {
    const std::size_t worker = random() % 3;
    switch (random() % 6) {
        case 0:
            fleet.kill_worker(worker);
            return "kill worker";
        case 1:
            fleet.kill_coordinator();
            return "kill coordinator";
        case 2:
            fleet.kill_redis();
            return "kill redis";
        case 3:
            fleet.flush_redis();
            return "flush redis";
        case 4:
            if (fleet.remembers_redis()) {
                fleet.roll_redis_back();
                return "roll redis back";
            }
            fleet.remember_redis();
            return "remember redis";
        default:
            fleet.stop_worker(worker);
            sleep(3);  // longer than its lease
            fleet.continue_worker(worker);
            return "stop worker";
    }
}

TEST(Chaos, EveryTrialIsRecordedExactlyOnceWhateverIsKilled) {
    const auto faults = from_environment("EVALFLEET_CHAOS_FAULTS", 10);
    std::mt19937 random(static_cast<unsigned>(from_environment("EVALFLEET_CHAOS_SEED", 1)));
    const int repeats = static_cast<int>(12 + faults * 2);
    Fleet fleet;
    fleet.submit(repeats);
    std::string story;
    for (std::uint64_t i = 0; i < faults; ++i) {
        const auto now = fleet.progress();
        ASSERT_TRUE(fleet.await_done((now ? now->done : 0) + 40))
            << story << fleet.coordinator_log();
        story += strike(fleet, random) + "\n";
    }
    ASSERT_TRUE(fleet.await_end(120)) << story << fleet.coordinator_log();
    ASSERT_EQ(fleet.progress()->state, "done") << story << fleet.progress()->note.value_or("");
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * static_cast<std::size_t>(repeats)) << story;
    EXPECT_EQ(count_repeats(ledger), 0U) << story;
    EXPECT_EQ(fleet.verify(), 0) << story;
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
