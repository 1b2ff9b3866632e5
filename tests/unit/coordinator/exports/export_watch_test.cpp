#include "coordinator/exports/export_watch.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::exports {
namespace {

namespace fs = std::filesystem;

class ExportWatchTest : public ::testing::Test {
  protected:
    ExportWatchTest() {
        job::RunMetadata metadata;
        metadata.run_id = "20261116-020000-3f9a2c-nightly";
        metadata.timestamp_utc = "2026-11-16T02:00:00Z";
        metadata.dataset_hash = std::string(64, 'a');
        metadata.model = {"main", "m", "1"};
        fs::create_directories(folder_.path() / "work");
        EXPECT_TRUE(
            files::blocking_write_atomically(folder_.file("run.json"), job::to_json(metadata)));
        EXPECT_TRUE(folder_.blocking_write_phase("running"));
    }
    [[nodiscard]] ExportWatch watch(const char* target = "s3://evals") const {
        return {store_.path(), target};
    }

    testing::TemporaryFolder store_;
    store::RunFolder folder_{store_.path() / "runs" / "20261116-020000-3f9a2c-nightly"};
};

TEST_F(ExportWatchTest, FindsARunOnceItIsOver) {
    ExportWatch watch = this->watch();
    EXPECT_TRUE(watch.blocking_look()->empty());
    ASSERT_TRUE(folder_.blocking_write_phase("done"));
    ASSERT_EQ(watch.blocking_look()->size(), 1U);
    EXPECT_EQ(watch.blocking_look()->front().folder, folder_.path()) << "until it is there";
}

TEST_F(ExportWatchTest, DoesNotFindWhatIsThereAlsoAfterARestart) {
    ASSERT_TRUE(folder_.blocking_write_phase("cancelled"));
    ExportWatch watch = this->watch();
    const auto due = watch.blocking_look().value();
    ASSERT_EQ(due.size(), 1U);
    ASSERT_TRUE(watch.blocking_mark(due.front()));
    EXPECT_TRUE(watch.blocking_look()->empty());
    EXPECT_TRUE(this->watch().blocking_look()->empty());
    EXPECT_EQ(this->watch("s3://other").blocking_look()->size(), 1U) << "another archive lacks it";
}

TEST_F(ExportWatchTest, AFailedRunHasNothingToExport) {
    ASSERT_TRUE(folder_.blocking_write_phase("failed"));
    EXPECT_TRUE(watch().blocking_look()->empty());
}

TEST_F(ExportWatchTest, AMarkOfARunThatWasRemovedMeanwhileIsNoFailure) {
    ASSERT_TRUE(folder_.blocking_write_phase("done"));
    ExportWatch watch = this->watch();
    const auto due = watch.blocking_look().value();
    fs::remove_all(folder_.path());
    EXPECT_TRUE(watch.blocking_mark(due.front()));
}

}  // namespace
}  // namespace evalfleet::exports
