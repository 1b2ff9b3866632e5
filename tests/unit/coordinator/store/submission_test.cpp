#include "coordinator/store/submission.hpp"

#include "common/files/atomic_file.hpp"
#include "coordinator/store/run_folder.hpp"
#include "tests/support/disk/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cerrno>

namespace evalfleet::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SubmissionTest : public ::testing::Test {
  protected:
    SubmissionTest() {
        EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", "{\"task\":\"?\"}\n"));
    }

    void stage(std::string_view id) {
        ASSERT_TRUE(
            RunFolder::blocking_stage(store(), {id, "{}", "{}", home / "qa.jsonl", {}, {}}));
    }
    [[nodiscard]] std::filesystem::path store() const { return home / "store"; }
    [[nodiscard]] std::vector<std::string> runs() const {
        std::vector<std::string> ids;
        for (const RunFolder& folder : blocking_list_runs(store()).value())
            ids.push_back(folder.run_id());
        return ids;
    }
    static Submission of(std::vector<std::string> ids) {
        return {"g", "g", "name", "2026-11-16T00:00:00.000Z", "k", "b", std::move(ids)};
    }

    testing::TemporaryFolder home;
};

TEST_F(SubmissionTest, MakesAllItsRunsRealAndIsFoundAgain) {
    stage("g-1");
    stage("g-2");
    EXPECT_THAT(runs(), IsEmpty());
    ASSERT_TRUE(blocking_commit(store(), of({"g-1", "g-2"})));
    EXPECT_THAT(runs(), ElementsAre("g-1", "g-2"));
    EXPECT_THAT(blocking_open_submissions(store()).value(), ElementsAre(of({"g-1", "g-2"})));
}

TEST_F(SubmissionTest, LeavesNothingOfWhatWasNotCommitted) {
    stage("g-1");
    stage("g-2");
    ASSERT_TRUE(blocking_open_submissions(store()));
    EXPECT_THAT(runs(), IsEmpty());
    EXPECT_TRUE(std::filesystem::is_empty(store() / "runs"));
}

// A crash after the commit, at every number of runs that had got their names.
TEST_F(SubmissionTest, CompletesWhatACrashInterrupted) {
    for (std::size_t published = 0; published <= 3; ++published) {
        testing::TemporaryFolder other;
        const std::vector<std::string> ids{"g-1", "g-2", "g-3"};
        for (const std::string& id : ids)
            ASSERT_TRUE(RunFolder::blocking_stage(other.path(),
                                                  {id, "{}", "{}", home / "qa.jsonl", {}, {}}));
        std::filesystem::create_directories(other / "submissions");
        ASSERT_TRUE(files::blocking_write_atomically(other / "submissions/g.json",
                                                     to_json(of({"g-1", "g-2", "g-3"}))));
        for (std::size_t i = 0; i < published; ++i)
            ASSERT_TRUE(RunFolder::blocking_publish(other.path(), ids[i]));
        ASSERT_TRUE(blocking_open_submissions(other.path()));
        EXPECT_EQ(blocking_list_runs(other.path())->size(), 3U) << published;
    }
}

// Whichever step of a commit fails: who submitted is told so, and nothing begins later.
TEST_F(SubmissionTest, AFailedCommitLeavesNothingThatMayBeginLater) {
    for (const testing::DiskCall call : {testing::DiskCall::write, testing::DiskCall::sync}) {
        for (const char* part : {"submissions", "/runs"}) {
            for (unsigned skip = 0; skip < 3; ++skip) {
                SCOPED_TRACE(std::string(part) + " " + std::to_string(skip));
                stage("g-1");
                stage("g-2");
                std::optional<testing::FaultyDisk> disk(std::in_place);
                disk->add({.call = call, .error = ENOSPC, .skip = skip, .path_part = part});
                const Status done = blocking_commit(store(), of({"g-1", "g-2"}));
                disk.reset();
                if (done) {  // so many steps there are not
                    ASSERT_TRUE(blocking_forget(store(), "g"));
                    for (const RunFolder& folder : blocking_list_runs(store()).value())
                        ASSERT_TRUE(folder.blocking_remove());
                    continue;
                }
                EXPECT_THAT(done.error().message, ::testing::HasSubstr("No space left"));
                EXPECT_THAT(blocking_open_submissions(store()).value(), IsEmpty());
                EXPECT_THAT(runs(), IsEmpty());
                EXPECT_TRUE(std::filesystem::is_empty(store() / "runs"));
            }
        }
    }
}

TEST_F(SubmissionTest, SyncsTheFolderAboveTheOneItMakes) {
    stage("g-1");
    testing::FaultyDisk disk;
    ASSERT_TRUE(blocking_commit(store(), of({"g-1"})));
    EXPECT_THAT(disk.synced(),
                ::testing::IsSupersetOf({store().string(), (store() / "submissions").string(),
                                         (store() / "runs").string()}));
}

TEST_F(SubmissionTest, StagesNothingThatCannotBeFilled) {
    const auto failed = RunFolder::blocking_stage(
        store(), {"r", "{}", "{}", home / "qa.jsonl", {}, [](const RunFolder&) -> Status {
                      return Error{ErrorKind::internal, "full"};
                  }});
    ASSERT_FALSE(failed);
    EXPECT_TRUE(std::filesystem::is_empty(store() / "runs"));
}

TEST_F(SubmissionTest, IsForgotten) {
    stage("g-1");
    ASSERT_TRUE(blocking_commit(store(), of({"g-1"})));
    ASSERT_TRUE(blocking_forget(store(), "g"));
    EXPECT_THAT(blocking_open_submissions(store()).value(), IsEmpty());
    EXPECT_THAT(runs(), ElementsAre("g-1"));
}

TEST_F(SubmissionTest, RemovesARunWholeAndFinishesARemovalThatWasInterrupted) {
    stage("r");
    ASSERT_TRUE(blocking_commit(store(), of({"r"})));
    const auto folder = blocking_list_runs(store())->front();
    ASSERT_TRUE(folder.blocking_remove());
    EXPECT_THAT(runs(), IsEmpty());
    std::filesystem::create_directories(store() / "runs" / ".old-x" / "work");
    ASSERT_TRUE(files::blocking_write_atomically(store() / "runs/.old-x/work/phase", "done\n"));
    EXPECT_THAT(runs(), IsEmpty());
    ASSERT_TRUE(blocking_open_submissions(store()));
    EXPECT_TRUE(std::filesystem::is_empty(store() / "runs"));
}

TEST_F(SubmissionTest, WritesWhyARunIsInItsPhase) {
    stage("r");
    ASSERT_TRUE(blocking_commit(store(), of({"r"})));
    const auto folder = blocking_list_runs(store())->front();
    EXPECT_EQ(folder.blocking_read_phase_note().value(), "");
    ASSERT_TRUE(folder.blocking_write_phase("paused", "20 answers of 401\nin a row"));
    EXPECT_EQ(folder.blocking_read_phase().value(), "paused");
    EXPECT_EQ(folder.blocking_read_phase_note().value(), "20 answers of 401 in a row");
    ASSERT_TRUE(folder.blocking_write_phase("running"));
    EXPECT_EQ(folder.blocking_read_phase_note().value(), "");
}

}  // namespace
}  // namespace evalfleet::store
