#include "tests/support/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace evalfleet {
namespace {

using testing::Fleet;
using ::testing::HasSubstr;

constexpr int kRepeats = 12;

void expect_every_trial_once(Fleet& fleet) {
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * kRepeats);
    for (const auto& [trial, count] : ledger)
        EXPECT_EQ(count, 1) << trial.first;
    EXPECT_EQ(fleet.verify(), 0);
}

// Whoever is asked answers /readyz with this status, within a minute.
bool await_readiness(Fleet& fleet, int status) {
    for (int i = 0; i < 600; ++i) {
        if (fleet.ask("GET", "/readyz").status == status) return true;
        usleep(100'000);
    }
    return false;
}

TEST(Standby, SaysThatItIsOneAndTakesOverWhenTheLeaderIsKilled) {
    Fleet fleet;
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(40));
    fleet.add_standby();
    fleet.ask_standby();
    EXPECT_EQ(fleet.ask("GET", "/healthz").status, 200);
    const auto ready = fleet.ask("GET", "/readyz");
    EXPECT_EQ(ready.status, 503);
    EXPECT_THAT(ready.body, HasSubstr("standby"));
    EXPECT_THAT(ready.body, HasSubstr(std::to_string(fleet.former().pid())));
    EXPECT_EQ(fleet.ask("GET", "/api/v1/runs").status, 503);
    EXPECT_THAT(fleet.coordinator_log(), HasSubstr("standing by"));
    fleet.former().kill();
    ASSERT_TRUE(await_readiness(fleet, 200)) << fleet.coordinator_log();
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    expect_every_trial_once(fleet);
}

TEST(Standby, EndsALeaderThatIsStoppedAndTakesOver) {
    Fleet fleet({.coordinator = {"--takeover-after", "2s"}});
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(40));
    fleet.add_standby();
    fleet.ask_standby();
    fleet.former().signal(SIGSTOP);
    ASSERT_TRUE(await_readiness(fleet, 200)) << fleet.coordinator_log();
    EXPECT_THAT(fleet.coordinator_log(), HasSubstr("no sign of life"));
    fleet.former().signal(SIGCONT);
    EXPECT_EQ(fleet.former().wait(), 128 + SIGKILL) << "it would have written beside the new one";
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    expect_every_trial_once(fleet);
}

TEST(Standby, LeavesAStoppedLeaderAloneIfToldSoAndNeverWritesBesideIt) {
    Fleet fleet({.coordinator = {"--takeover-after", "0s"}});
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(40));
    fleet.add_standby();
    fleet.coordinator().signal(SIGSTOP);
    sleep(5);
    fleet.ask_standby();
    const auto ready = fleet.ask("GET", "/readyz");
    EXPECT_EQ(ready.status, 503);
    EXPECT_THAT(ready.body, HasSubstr("silent for"));
    fleet.former().signal(SIGCONT);
    sleep(1);
    fleet.former().kill();
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    expect_every_trial_once(fleet);
}

// As on a network file system that lost the lock: the log of each run is locked by itself, and the
// old leader finds that it is none any more.
TEST(Standby, AnOldLeaderThatLostItsLockStandsDown) {
    Fleet fleet({.coordinator = {"--takeover-after", "0s"}});
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await_done(40));
    fleet.coordinator().signal(SIGSTOP);
    std::filesystem::remove(fleet.store() / "lock");
    fleet.add_standby();
    fleet.ask_standby();
    ASSERT_TRUE(await_readiness(fleet, 200)) << fleet.coordinator_log();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.note.has_value(); }, 30));
    EXPECT_THAT(fleet.progress()->note.value(), HasSubstr("holds this log"));
    fleet.former().signal(SIGCONT);
    EXPECT_EQ(fleet.former().wait(), 3) << "it went on";
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    expect_every_trial_once(fleet);
}

TEST(Standby, IsNotWantedBySomebodyWhoSaysSo) {
    Fleet fleet({.workers = 0});
    EXPECT_EQ(fleet.run_coordinator({"--no-standby"}), 3);
}

}  // namespace
}  // namespace evalfleet
