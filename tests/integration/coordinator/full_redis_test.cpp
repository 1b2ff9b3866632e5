#include "tests/support/fleet.hpp"

#include <gtest/gtest.h>

/// Results pile up in Redis while nobody fetches them, until it is at its memory limit. The limit
/// is never lifted: whoever comes back must free the memory with what Redis still lets them do.
namespace evalfleet {
namespace {

using testing::Fleet;

void expect_every_trial_once(Fleet& fleet, std::size_t repeats) {
    ASSERT_EQ(fleet.progress()->state, "done") << fleet.progress()->note.value_or("");
    EXPECT_EQ(fleet.progress()->errors, 0U);
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * repeats);
    for (const auto& [trial, count] : ledger)
        EXPECT_EQ(count, 1) << trial.first;
    EXPECT_EQ(fleet.verify(), 0);
}

bool await_results(Fleet& fleet, std::uint64_t count) {
    return Fleet::await_true([&] { return fleet.count_results() >= count; },
                             std::chrono::steady_clock::now() + std::chrono::seconds(60));
}

TEST(FullRedis, ARunWhoseResultsFillItIsFinishedByTheCoordinatorThatComesBack) {
    constexpr int kRepeats = 4;
    Fleet fleet;
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(20));
    fleet.coordinator().signal(SIGSTOP);
    ASSERT_TRUE(await_results(fleet, 60)) << "workers go on";
    fleet.limit_redis_memory("1mb");  // less than it uses when empty
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    expect_every_trial_once(fleet, kRepeats);
}

TEST(FullRedis, ARunWithMoreTrialsThanFitGoesOnOnceTheResultsAreFetched) {
    constexpr int kRepeats = 4;
    Fleet fleet({.coordinator = {"--window-jobs", "100"}});
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(20));
    fleet.coordinator().signal(SIGSTOP);
    ASSERT_TRUE(await_results(fleet, 60));
    // It is over the limit now, and close to it without the results.
    fleet.limit_redis_memory(std::to_string(fleet.used_redis_memory() - 20'000));
    fleet.coordinator().signal(SIGCONT);
    ASSERT_TRUE(fleet.await_end(180)) << fleet.coordinator_log();
    expect_every_trial_once(fleet, kRepeats);
}

}  // namespace
}  // namespace evalfleet
