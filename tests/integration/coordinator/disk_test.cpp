#include "common/files/file.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/leftovers.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>

namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using testing::Fleet;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void expect_every_trial_once(Fleet& fleet, std::size_t repeats) {
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->state, "done") << fleet.progress()->note.value_or("");
    EXPECT_EQ(fleet.progress()->errors, 0U);
    const auto ledger = fleet.read_ledger();
    EXPECT_EQ(ledger.size(), Fleet::kSamples * repeats);
    for (const auto& [trial, count] : ledger)
        EXPECT_EQ(count, 1) << trial.first;
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty());
}

std::string read(const fs::path& file) {
    return files::blocking_read_file(file, std::uint64_t{1} << 28).value();
}

// Changes one letter in the middle of the n-th record that begins with this text.
void damage_record(const fs::path& log, std::size_t number) {
    const std::string bytes = read(log);
    std::size_t place = 0;
    for (std::size_t i = 0; i <= number; ++i)
        place = bytes.find("\"sample_index\"", place + 1);
    ASSERT_NE(place, std::string::npos);
    std::fstream(log, std::ios::in | std::ios::out | std::ios::binary)
            .seekp(static_cast<std::streamoff>(place + 2))
        << '#';
}

std::uint64_t metric(Fleet& fleet, const std::string& name) {
    const std::string text = fleet.ask("GET", "/metrics").body;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 2));
}

TEST(CoordinatorDisk, ADamagedLogCostsTheTrialsInItAndNoOthers) {
    Fleet fleet;
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(120));
    ASSERT_TRUE(fleet.steer("pause"));
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.in_flight == 0; }, 30));
    const auto done = fleet.progress()->done;
    const fs::path log = fleet.run_folder() / "work" / "trials.log";
    fleet.kill_coordinator([&] {
        for (const std::size_t record : {3, 40, 90})
            damage_record(log, record);
    });
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.note.has_value(); }, 30));
    EXPECT_THAT(*fleet.progress()->note, HasSubstr("3 places"));
    EXPECT_GE(fleet.progress()->done, done - 3);
    EXPECT_EQ(metric(fleet, "evalfleet_coordinator_log_damage_total"), 3U);
    ASSERT_TRUE(fleet.steer("resume"));
    expect_every_trial_once(fleet, 8);
    EXPECT_THAT(fleet.progress()->note.value_or(""), HasSubstr("3 places"));
    const fs::path kept = fleet.run_folder() / "work" / "damaged";
    EXPECT_EQ(std::distance(fs::directory_iterator(kept), fs::directory_iterator()), 3);
}

// Every trial is in the log, and the run's files cannot be written for the moment.
void await_finishing(Fleet& fleet) {
    fleet.break_disk("write", ENOSPC, "records.jsonl");
    fleet.submit(2);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "finishing"; }, 60));
}

TEST(CoordinatorDisk, DamageFoundByARestartWhileFinishingRunsThoseTrialsAgain) {
    Fleet fleet({.faulty_disk = true});
    await_finishing(fleet);
    const fs::path log = fleet.run_folder() / "work" / "trials.log";
    fleet.kill_coordinator([&] { damage_record(log, 5); });
    fleet.mend_disk();
    expect_every_trial_once(fleet, 2);
    EXPECT_THAT(fleet.progress()->note.value_or(""), HasSubstr("1 place"));
}

// How often writing the run's files failed.
std::size_t count_failures(const Fleet& fleet) {
    constexpr std::string_view kLine = "cannot write the run's files";
    const std::string log = fleet.coordinator_log();
    std::size_t count = 0;
    for (auto at = log.find(kLine); at != std::string::npos; at = log.find(kLine, at + 1))
        ++count;
    return count;
}

TEST(CoordinatorDisk, DamageFoundByWritingTheFilesRunsThoseTrialsAgain) {
    Fleet fleet({.faulty_disk = true});
    await_finishing(fleet);
    damage_record(fleet.run_folder() / "work" / "trials.log", 5);
    // An attempt that has read the record before may be under way: it must fail first.
    const std::size_t failures = count_failures(fleet);
    ASSERT_TRUE(fleet.await(
        [&](const auto& now) {
            return now.state != "finishing" || count_failures(fleet) > failures;
        },
        30));
    fleet.mend_disk();
    expect_every_trial_once(fleet, 2);
    EXPECT_THAT(fleet.progress()->note.value_or(""), HasSubstr("1 place"));
}

TEST(CoordinatorDisk, SyncsThatFailStopTheRunUntilTheDiskIsBack) {
    Fleet fleet({.coordinator = {"--window-jobs", "50"}, .faulty_disk = true});
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(40));
    fleet.break_disk("sync", EIO, "trials.log");
    ASSERT_TRUE(fleet.await(
        [](const auto& now) {
            return now.note && now.note->find("Input/output error") != std::string::npos;
        },
        60))
        << fleet.coordinator_log();
    const auto stuck = fleet.progress()->done;
    EXPECT_FALSE(fleet.await_done(stuck + 1, 2)) << "it was counted before it was safe";
    fleet.mend_disk();
    expect_every_trial_once(fleet, 8);
}

TEST(CoordinatorDisk, ASubmissionOnAFullDiskIsRefusedWith507AndNeverBegins) {
    Fleet fleet({.workers = 0, .faulty_disk = true});
    const std::string spec = R"({"version":1,"name":"full","dataset":{"path":")" +
                             Fleet::dataset() +
                             R"("},"model":{"provider":"sim","name":"m","version":"1"},)"
                             R"("judge":{"provider":"sim","name":"j","version":"1"}})";
    for (const char* call : {"write", "sync"}) {
        for (const char* part : {"run.json", "submissions", "dataset.jsonl"}) {
            fleet.break_disk(call, ENOSPC, part);
            const auto answer = fleet.ask("POST", "/api/v1/runs", spec);
            EXPECT_EQ(answer.status, 507) << call << " " << part << " " << answer.body;
        }
    }
    fleet.mend_disk();
    fleet.kill_coordinator();
    EXPECT_TRUE(fs::is_empty(fleet.store() / "runs"));
    EXPECT_EQ(fleet.ask("POST", "/api/v1/runs", spec).status, 201);
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty());
}

TEST(CoordinatorDisk, ARestartClearsUpWhatAKillLeftAndNothingOfTheUsers) {
    Fleet fleet;
    fleet.submit(1);
    ASSERT_TRUE(fleet.await_end(60));
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty());
    const fs::path folder = fleet.run_folder();
    fleet.kill_coordinator([&] {
        std::ofstream(folder / ".records.jsonl.aB3xY9.evalfleet-part") << "{";
        std::ofstream(folder / ".run.json.aB3xY9") << "{";  // as earlier versions left it
        std::ofstream(folder / "work" / "trials.log") << "EFLOG01\n";
        std::ofstream(fleet.store() / ".baselines.json.aB3xY9.evalfleet-part") << "{";
        std::ofstream(fleet.store() / "mine.txt") << "of the user";
    });
    EXPECT_THAT(fleet.find_leftovers(), IsEmpty());
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_TRUE(fs::exists(fleet.store() / "mine.txt"));
}

// The control of the one above and of all who call it.
TEST(CoordinatorDisk, LeftoversAreFound) {
    Fleet fleet;
    fleet.submit(1);
    ASSERT_TRUE(fleet.await_end(60));
    ASSERT_THAT(fleet.find_leftovers(), IsEmpty());
    std::ofstream(fleet.run_folder() / ".records.jsonl.aB3xY9.evalfleet-part") << "{";
    EXPECT_FALSE(testing::find_leftovers(fleet.store()).empty());
}

TEST(CoordinatorDisk, ADatasetThatIsRewrittenInPlaceChangesNothing) {
    const testing::TemporaryFolder own;
    const fs::path dataset = own / "qa.jsonl";
    fs::copy_file(Fleet::dataset(), dataset);
    const std::string before = read(dataset);
    Fleet fleet({.coordinator = {"--dataset-root", own.path().string()}});
    const std::string spec = R"({"version":1,"name":"copy","repeats":4,"dataset":{"path":")" +
                             dataset.string() +
                             R"("},"model":{"provider":"sim","name":"m","version":"1"},)"
                             R"("judge":{"provider":"sim","name":"j","version":"1"}})";
    const auto answer = fleet.ask("POST", "/api/v1/runs", spec);
    ASSERT_EQ(answer.status, 201) << answer.body;
    std::ofstream(dataset) << std::string(before.size(), ' ');
    const auto run = fleet.ask("GET", "/api/v1/runs").body;
    const auto at = run.find("\"run_id\":\"") + 10;
    fleet.watch(run.substr(at, run.find('"', at) - at));
    expect_every_trial_once(fleet, 4);
    EXPECT_EQ(read(fleet.run_folder() / "work" / "dataset.jsonl"), before);
}

TEST(CoordinatorDisk, ACopyThatWasChangedDuringTheRunFailsItAloud) {
    Fleet fleet;
    fleet.submit(8);
    ASSERT_TRUE(fleet.await_done(20));
    ASSERT_TRUE(fleet.steer("pause"));
    const fs::path copy = fleet.run_folder() / "work" / "dataset.jsonl";
    std::string bytes = read(copy);
    fs::permissions(copy, fs::perms::owner_all);
    std::ofstream(copy, std::ios::in | std::ios::out) << std::string(bytes.size(), ' ');
    ASSERT_TRUE(fleet.steer("resume"));
    ASSERT_TRUE(fleet.await_end(60));
    EXPECT_EQ(fleet.progress()->state, "failed");
    EXPECT_THAT(fleet.progress()->note.value_or(""), HasSubstr("was changed"));
}

}  // namespace
}  // namespace evalfleet
