#include "common/files/file.hpp"
#include "common/queue/keys.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/leftovers.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cerrno>
#include <fstream>

/// A run ends, whatever happens meanwhile: nothing of it stays, nobody works for it any more, and
/// what cannot go on says why and can be ended.
namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using testing::Fleet;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string state_of(Fleet& fleet) {
    const auto now = fleet.progress();
    return now ? now->state : "";
}

std::string note_of(Fleet& fleet) {
    const auto now = fleet.progress();
    return now ? now->note.value_or("") : "";
}

int remove(Fleet& fleet) {
    return fleet.ask("DELETE", "/api/v1/runs/" + fleet.run_id()).status;
}

void expect_every_trial_once(Fleet& fleet, std::size_t repeats) {
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "done") << note_of(fleet);
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * repeats);
    for (const auto& [trial, count] : ledger)
        EXPECT_EQ(count, 1) << trial.first;
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

/// Its copy of the data set, which a test takes away and gives back.
class Copy {
  public:
    explicit Copy(Fleet& fleet) : file_(fleet.run_folder() / "work" / "dataset.jsonl") {
        std::ifstream file(file_, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        fs::permissions(file_, fs::perms::owner_all);
    }
    void spoil() const { overwrite(std::string(bytes_.size(), ' ')); }
    void restore() const { overwrite(bytes_); }

  private:
    // In place: somebody may read it at this moment, and must not find it shorter.
    void overwrite(const std::string& bytes) const {
        std::ofstream(file_, std::ios::in | std::ios::out | std::ios::binary) << bytes;
    }

    fs::path file_;
    std::string bytes_;
};

/// A run of which some trials are in the log and others in Redis fails, with its log open.
Copy fail_while_open(Fleet& fleet, int repeats) {
    fleet.submit(repeats);
    EXPECT_TRUE(fleet.await_done(20));
    EXPECT_TRUE(fleet.steer("pause"));
    Copy copy(fleet);
    copy.spoil();
    EXPECT_TRUE(fleet.steer("resume"));
    EXPECT_TRUE(fleet.await_end(60));
    EXPECT_EQ(state_of(fleet), "failed");
    return copy;
}

// The window is smaller than the run, so that lines of the data set are read until the end.
Fleet::Options small_window() {
    return {.coordinator = {"--window-jobs", "50"}};
}

TEST(RunEnd, AKillWhileFinishingLeavesNothing) {
    Fleet fleet({.faulty_disk = true});
    fleet.break_disk("write", ENOSPC, "records.jsonl");
    fleet.submit(2);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "finishing"; }, 60));
    fleet.kill_coordinator();
    fleet.mend_disk();
    expect_every_trial_once(fleet, 2);
}

TEST(RunEnd, ARunThatFailedAndIsRemovedAfterARestartLeavesNothing) {
    Fleet fleet(small_window());
    (void)fail_while_open(fleet, 8);
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await_end(30));
    EXPECT_THAT(note_of(fleet), HasSubstr("was changed"));
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
    EXPECT_EQ(remove(fleet), 404);
}

TEST(RunEnd, WorkersStopForACancellationThatRedisMissed) {
    Fleet fleet({.latency_ms = "100", .can_be_cut_off = true});
    fleet.submit(400);
    ASSERT_TRUE(fleet.await_done(20));
    fleet.cut_off();
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "cancelled");
    const std::size_t before = fleet.read_calls().size();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    ASSERT_TRUE(Fleet::await_true([&] { return fleet.read_calls().size() > before; }, deadline))
        << "the control: workers know nothing yet";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    ASSERT_TRUE(
        Fleet::await_true([&] { return testing::find_leftovers(fleet.store()).empty(); }, end))
        << "its keeper has done all it can";
    fleet.reconnect();
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
    // What was begun before the last heartbeat, at most.
    const std::size_t after = fleet.read_calls().size();
    const auto later = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    EXPECT_FALSE(Fleet::await_true(
        [&] { return fleet.read_calls().size() > after + std::size_t{3 * 4}; }, later))
        << "they still make calls";
}

TEST(RunEnd, ARemovalThatRedisMissedIsMadeGood) {
    Fleet::Options options = small_window();
    options.can_be_cut_off = true;
    Fleet fleet(options);
    (void)fail_while_open(fleet, 8);
    fleet.cut_off();
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_FALSE(fleet.find_redis_keys().empty()) << "the control";
    fleet.reconnect();
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(RunEnd, ARemovalThatRedisMissedIsMadeGoodAlsoByTheNextCoordinator) {
    Fleet::Options options = small_window();
    options.can_be_cut_off = true;
    Fleet fleet(options);
    (void)fail_while_open(fleet, 8);
    fleet.cut_off();
    EXPECT_EQ(remove(fleet), 204);
    fleet.kill_coordinator();
    EXPECT_FALSE(fleet.find_redis_keys().empty()) << "the control";
    fleet.reconnect();
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(RunEnd, ARedisThatWentBackToATimeBeforeTheEndIsTold) {
    Fleet fleet({.latency_ms = "50"});
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(100));
    fleet.remember_redis();
    ASSERT_TRUE(fleet.await_end(60));
    ASSERT_THAT(fleet.find_leftovers(), IsEmpty());
    fleet.roll_redis_back();
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(RunEnd, WorkersGetNothingOfARunThatFailed) {
    Fleet fleet(small_window());
    (void)fail_while_open(fleet, 40);
    EXPECT_TRUE(Fleet::await_true([&] { return fleet.redis_field("state") == "pause"; },
                                  std::chrono::steady_clock::now() + std::chrono::seconds(30)))
        << fleet.redis_field("state") << fleet.coordinator_log();
    fleet.kill_coordinator();
    EXPECT_EQ(fleet.redis_field("state"), "pause");
}

TEST(FailedRun, GoesOnWhenItIsResumed) {
    Fleet fleet(small_window());
    const Copy copy = fail_while_open(fleet, 8);
    copy.restore();
    const auto done = fleet.progress()->done;
    EXPECT_GE(done, 20U) << "how far it came is still told";
    ASSERT_TRUE(fleet.steer("resume"));
    expect_every_trial_once(fleet, 8);
}

TEST(FailedRun, KeepsWhatItHasWhenItIsCancelled) {
    Fleet fleet(small_window());
    const Copy copy = fail_while_open(fleet, 8);
    copy.restore();
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "cancelled"; }, 60))
        << fleet.coordinator_log();
    EXPECT_GE(fleet.read_ledger().size(), 20U);
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(FailedRun, SaysWhyWhenItCannotBeCancelledEitherAndCanBeRemoved) {
    Fleet fleet(small_window());
    (void)fail_while_open(fleet, 8);
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60));
    EXPECT_EQ(state_of(fleet), "failed");
    EXPECT_THAT(note_of(fleet), HasSubstr("was changed"));
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(FailedRun, OneThatWaitsForItsLogSaysSoAndCanBeCancelledAndRemoved) {
    Fleet fleet({.workers = 0, .faulty_disk = true});
    fleet.break_disk("write", ENOSPC, "trials.log");
    fleet.submit(1);
    ASSERT_TRUE(fleet.await(
        [](const auto& now) {
            return now.note && now.note->find("No space left") != std::string::npos;
        },
        30))
        << fleet.coordinator_log();
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "failed");
    EXPECT_THAT(note_of(fleet), HasSubstr("cancelled"));
    EXPECT_THAT(note_of(fleet), HasSubstr("No space left"));
    EXPECT_EQ(remove(fleet), 204);
}

TEST(FailedRun, OneWhoseFilesCannotBeWrittenSaysSoAndCanBeCancelledAndRemoved) {
    Fleet fleet({.faulty_disk = true});
    fleet.break_disk("write", ENOSPC, "records.jsonl");
    fleet.submit(1);
    ASSERT_TRUE(fleet.await(
        [](const auto& now) { return now.state == "finishing" && now.note.has_value(); }, 60));
    EXPECT_THAT(note_of(fleet), HasSubstr("No space left"));
    EXPECT_EQ(remove(fleet), 409) << "it may still end well";
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "failed");
    EXPECT_THAT(note_of(fleet), HasSubstr("No space left"));
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(FailedRun, OneThatCannotEvenNoteThatItFailedSaysSoAndCanBeRemoved) {
    Fleet fleet({.coordinator = {"--window-jobs", "50"}, .faulty_disk = true});
    fleet.submit(40);
    ASSERT_TRUE(fleet.await_done(20));
    fleet.break_disk("write", ENOSPC, "phase");
    const Copy copy(fleet);
    copy.spoil();
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "failed");
    EXPECT_THAT(note_of(fleet), HasSubstr("was changed"));
    std::ifstream phase(fleet.run_folder() / "work" / "phase");
    std::string noted;
    std::getline(phase, noted);
    EXPECT_EQ(noted, "running") << "the control";
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(FailedRun, IsCancelledAlthoughRedisWasNeverThere) {
    Fleet fleet({.workers = 0, .can_be_cut_off = true});
    fleet.cut_off();
    fleet.submit(1);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "running"; }, 30));
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(state_of(fleet), "cancelled");
    fleet.reconnect();
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

/// A paused run whose store was put back to a time before its last coordinators.
void put_back_a_backup(Fleet& fleet) {
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(20));
    ASSERT_TRUE(fleet.steer("pause"));
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.in_flight == 0; }, 30));
    const fs::path folder = fleet.run_folder();
    const testing::TemporaryFolder backup;
    fleet.kill_coordinator([&] { fs::copy(folder, backup / "run", fs::copy_options::recursive); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (const char* epoch : {"2", "3"}) {
        ASSERT_TRUE(
            Fleet::await_true([&] { return fleet.redis_field("epoch") == epoch; }, deadline));
        fleet.kill_coordinator();
    }
    ASSERT_TRUE(Fleet::await_true([&] { return fleet.redis_field("epoch") == "4"; }, deadline));
    fleet.kill_coordinator([&] {
        fs::remove_all(folder);
        fs::copy(backup / "run", folder, fs::copy_options::recursive);
    });
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "failed"; }, 30));
    EXPECT_THAT(note_of(fleet), HasSubstr("a later coordinator has taken the run over"));
}

TEST(FailedRun, OneThatABackupPutBackGoesOnWhenItIsResumed) {
    Fleet fleet;
    put_back_a_backup(fleet);
    ASSERT_TRUE(fleet.steer("resume"));
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "paused"; }, 30))
        << "as it was";
    ASSERT_TRUE(fleet.steer("resume"));
    expect_every_trial_once(fleet, 8);
}

TEST(FailedRun, OneThatABackupPutBackCanBeRemoved) {
    Fleet fleet;
    put_back_a_backup(fleet);
    EXPECT_EQ(remove(fleet), 204);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty()) << fleet.coordinator_log();
}

TEST(FailedRun, IsFoundByRetentionAtTheNextStart) {
    Fleet fleet({.coordinator = {"--window-jobs", "50", "--retention", "1"}});
    (void)fail_while_open(fleet, 8);
    const std::string failed = fleet.run_id();
    fleet.kill_coordinator([&] {
        const fs::path other = fleet.store() / "runs" / "later";
        fs::create_directories(other / "work");
        std::ofstream(other / "work" / "phase") << "done\n";
    });
    EXPECT_TRUE(Fleet::await_true([&] { return !fs::exists(fleet.store() / "runs" / failed); },
                                  std::chrono::steady_clock::now() + std::chrono::seconds(30)))
        << "it was one too many, and the oldest";
}

// The control of all who look for leftovers.
TEST(RunEnd, WhatIsLeftInRedisIsFound) {
    Fleet fleet({.workers = 0});
    EXPECT_EQ(testing::parse_run_key("ef:{main}:res:r-1").run_id, "r-1");
    EXPECT_EQ(testing::parse_run_key("ef:{main}:res:r-1").kind, "res");
    EXPECT_EQ(testing::parse_run_key("ef:{main}:runs").kind, "");
    fleet.plant_run("nobody");
    EXPECT_EQ(fleet.find_redis_keys().size(), 1U);
}

}  // namespace
}  // namespace evalfleet
