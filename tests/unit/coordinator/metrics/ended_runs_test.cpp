#include "coordinator/metrics/ended_runs.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "coordinator/store/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::coordinator {
namespace {

using runs::RunPhase;
using runs::RunStats;
using ::testing::ElementsAre;

class EndedRuns : public ::testing::Test {
  protected:
    EndedRuns() {
        files::blocking_write_atomically(home_ / "d.jsonl", "{\"task\":\"x\"}\n").value();
    }

    // A run that has been in its phase for so long.
    void make(const std::string& id, const char* phase, std::chrono::hours ago) {
        job::RunMetadata metadata;
        metadata.run_id = id;
        metadata.name = "nightly";
        metadata.sample_count = 10;
        metadata.repeats = 3;
        metadata.model_versions_reported = {{"a", 1}, {"b", 2}};
        const auto folder = store::RunFolder::blocking_create(
                                home_.path(), id, job::to_json(metadata), "{}", home_ / "d.jsonl")
                                .value();
        files::blocking_write_atomically(
            folder.file("summary.json"),
            R"({"rubric":{"total_count":30,"pass_count":21},"release_ready":true,)"
            R"("extra":{"incomplete":false,"unscored_count":2}})")
            .value();
        folder.blocking_write_phase(phase).value();
        const auto file = folder.path() / "work" / "phase";
        std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - ago);
    }

    std::vector<std::string> recall(std::size_t most) {
        std::vector<std::string> ids;
        for (const RunStats& run : blocking_recall_ended(home_.path(), most))
            ids.push_back(run.run_id);
        return ids;
    }

    testing::TemporaryFolder home_;
};

TEST_F(EndedRuns, AreRecalledTheLastFirstAndNoMoreThanAsked) {
    make("first", "done", std::chrono::hours(3));
    make("third", "done", std::chrono::hours(1));
    make("second", "cancelled", std::chrono::hours(2));
    make("kept", "failed", std::chrono::hours(0));
    make("open", "running", std::chrono::hours(0));
    EXPECT_THAT(recall(20), ElementsAre("third", "second", "first"));
    EXPECT_THAT(recall(2), ElementsAre("third", "second"));
}

TEST_F(EndedRuns, HaveTheFiguresOfTheirSummary) {
    make("one", "done", std::chrono::hours(5));
    const RunStats run = blocking_recall_ended(home_.path(), 1).at(0);
    EXPECT_EQ(run.name, "nightly");
    EXPECT_EQ(run.phase, RunPhase::done);
    EXPECT_EQ(run.total, 30U);
    EXPECT_EQ(run.done, 30U);
    EXPECT_EQ(run.passed, 21U);
    EXPECT_EQ(run.errors, 2U);
    EXPECT_EQ(run.model_versions, 2U);
    EXPECT_EQ(run.release_ready, true);
    EXPECT_LT(run.ended.value(), std::chrono::system_clock::now() - std::chrono::hours(4));
}

TEST(VerdictOfARun, IsThereOnceItIsOverAndNeverGoodForOneThatFailed) {
    RunStats run;
    run.release_ready = true;
    run.phase = RunPhase::running;
    EXPECT_EQ(verdict_of(run), std::nullopt);
    run.phase = RunPhase::done;
    EXPECT_EQ(verdict_of(run), true);
    run.release_ready.reset();
    run.phase = RunPhase::failed;
    EXPECT_EQ(verdict_of(run), false);
}

}  // namespace
}  // namespace evalfleet::coordinator
