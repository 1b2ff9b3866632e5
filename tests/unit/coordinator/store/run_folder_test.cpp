#include "coordinator/store/run_folder.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

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
