#include "coordinator/store/run_folder.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "tests/support/disk/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace evalfleet::store {
namespace {

class RunFolderTest : public ::testing::Test {
  protected:
    RunFolderTest() {
        EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", "{\"task\":\"?\"}\n"));
    }

    Result<RunFolder> create(std::string_view id) {
        return RunFolder::blocking_create(home / "store", id, "{}\n", "{\"name\":\"n\"}",
                                          home / "qa.jsonl");
    }

    testing::TemporaryFolder home;
};

TEST_F(RunFolderTest, HoldsEverythingANewRunNeeds) {
    const auto folder = create("r1");
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_EQ(folder->run_id(), "r1");
    EXPECT_EQ(*folder->blocking_read_phase(), "queued");
    EXPECT_EQ(*files::blocking_read_file(folder->spec(), 100), "{\"name\":\"n\"}");
    EXPECT_EQ(*files::blocking_read_file(folder->dataset(), 100), "{\"task\":\"?\"}\n");
    EXPECT_EQ(*files::blocking_read_file(folder->file("run.json"), 100), "{}\n");
}

TEST_F(RunFolderTest, KeepsTheDatasetWhenTheOriginalIsRemoved) {
    const auto folder = create("r1");
    std::filesystem::remove(home / "qa.jsonl");
    EXPECT_TRUE(files::blocking_read_file(folder->dataset(), 100));
}

TEST_F(RunFolderTest, KeepsTheDatasetWhenTheOriginalIsRewrittenInPlace) {
    const auto folder = create("r1");
    std::ofstream(home / "qa.jsonl") << "{\"task\":\"!\"}\n";
    EXPECT_EQ(*files::blocking_read_file(folder->dataset(), 100), "{\"task\":\"?\"}\n");
    EXPECT_TRUE(folder->blocking_check_copy(folder->dataset()));
    EXPECT_EQ(std::filesystem::hard_link_count(folder->dataset()), 1U);
}

TEST_F(RunFolderTest, NoticesThatItsCopyWasChanged) {
    const auto folder = create("r1");
    std::filesystem::permissions(folder->dataset(), std::filesystem::perms::owner_all);
    std::ofstream(folder->dataset()) << "{\"task\":\"!\"}\n";
    const Status same = folder->blocking_check_copy(folder->dataset());
    ASSERT_FALSE(same);
    EXPECT_EQ(same.error().kind, ErrorKind::invalid);
    EXPECT_THAT(same.error().message, ::testing::HasSubstr("dataset.jsonl: was changed"));
}

TEST_F(RunFolderTest, RefusesADatasetThatIsNotTheOneThatWasChecked) {
    NewRun run{"r1", "{}", "{}", home / "qa.jsonl", {}, {}};
    run.dataset_sha256 = std::string(64, '0');
    const auto folder = RunFolder::blocking_stage(home / "store", run);
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::invalid);
    EXPECT_TRUE(std::filesystem::is_empty(home.path() / "store" / "runs"));
}

TEST_F(RunFolderTest, TheRunsOfAGroupShareTheirCopy) {
    const auto first = create("r1");
    NewRun second{"r2", "{}", "{}", first->dataset(), {}, {}};
    second.shares_dataset = true;
    ASSERT_TRUE(RunFolder::blocking_stage(home / "store", second));
    EXPECT_EQ(std::filesystem::hard_link_count(first->dataset()), 2U);
    EXPECT_EQ(std::filesystem::hard_link_count(home / "qa.jsonl"), 1U);
}

TEST_F(RunFolderTest, ClearsUpWhatAKilledProcessLeftAndNothingElse) {
    const auto folder = create("r1");
    const std::vector<std::string> ours{"work/trials.log",
                                        "work/trials.log.epoch",
                                        "work/answers.jsonl",
                                        ".records.jsonl.aB3xY9",
                                        ".run.json.aB3xY9.evalfleet-part",
                                        "work/.phase.aB3xY9.evalfleet-part"};
    const std::vector<std::string> others{
        ".records.jsonl.backup",       ".notes.aB3xY9", "mine.txt", ".hidden", "work/dataset.jsonl",
        "work/damaged/trials.log-8-20"};
    std::filesystem::create_directories(folder->path() / "work/damaged");
    for (const auto& names : {ours, others})
        for (const std::string& name : names)
            if (!std::filesystem::exists(folder->path() / name))
                std::ofstream(folder->path() / name) << "x";
    std::filesystem::create_symlink("mine.txt", folder->path() / ".run.json.000000.evalfleet-part");
    ASSERT_TRUE(folder->blocking_drop_work());
    for (const std::string& name : ours)
        EXPECT_FALSE(std::filesystem::exists(folder->path() / name)) << name;
    for (const std::string& name : others)
        EXPECT_TRUE(std::filesystem::exists(folder->path() / name)) << name;
    EXPECT_TRUE(std::filesystem::is_symlink(folder->path() / ".run.json.000000.evalfleet-part"));
}

TEST_F(RunFolderTest, SyncsTheFolderAboveEveryFolderItMakes) {
    testing::FaultyDisk disk;
    ASSERT_TRUE(create("r1"));
    const auto synced = disk.synced();
    for (const char* folder : {"", "store", "store/runs"}) {
        const std::string path = (home.path() / folder).lexically_normal().string();
        const std::string trimmed = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
        EXPECT_THAT(synced, ::testing::Contains(trimmed));
    }
}

TEST_F(RunFolderTest, ListsRunsInOrderAndNothingUnfinished) {
    ASSERT_TRUE(create("r2"));
    ASSERT_TRUE(create("r1"));
    std::filesystem::create_directories(home.path() / "store" / "runs" / ".new-r3" / "work");
    std::filesystem::create_directories(home.path() / "store" / "runs" / "stranger");
    const auto runs = blocking_list_runs(home / "store");
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->size(), 2U);
    EXPECT_EQ(runs->at(0).run_id(), "r1");
    EXPECT_EQ(runs->at(1).run_id(), "r2");
}

TEST_F(RunFolderTest, LeavesNothingWhenTheDatasetCannotBeHad) {
    std::filesystem::remove(home / "qa.jsonl");
    const auto folder = create("r1");
    ASSERT_FALSE(folder);
    EXPECT_THAT(folder.error().message, ::testing::HasSubstr("qa.jsonl"));
    EXPECT_TRUE(std::filesystem::is_empty(home.path() / "store" / "runs"));
}

TEST_F(RunFolderTest, RemembersThePhase) {
    const auto folder = create("r1");
    ASSERT_TRUE(folder->blocking_write_phase("paused"));
    EXPECT_EQ(*folder->blocking_read_phase(), "paused");
}

TEST_F(RunFolderTest, AnEmptyStoreIsMade) {
    const auto runs = blocking_list_runs(home / "fresh");
    ASSERT_TRUE(runs);
    EXPECT_TRUE(runs->empty());
}

}  // namespace
}  // namespace evalfleet::store
