#include "coordinator/catalog/run_catalog.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::catalog {
namespace {

using runs::RunPhase;

class RunCatalogTest : public ::testing::Test {
  protected:
    RunCatalogTest() {
        files::blocking_write_atomically(folder_ / "d.jsonl", "{\"task\":\"x\"}\n").value();
    }
    store::RunFolder make(const std::string& id) {
        job::RunMetadata metadata;
        metadata.run_id = id;
        metadata.name = "name of " + id;
        metadata.timestamp_utc = "2026-11-16T02:00:00.000Z";
        metadata.sample_count = 10;
        metadata.repeats = 3;
        metadata.model = {"p", "m", "1"};
        return store::RunFolder::blocking_create(folder_.path(), id, job::to_json(metadata), "{}",
                                                 folder_ / "d.jsonl")
            .value();
    }
    void finish(const store::RunFolder& run, std::string_view more = "") {
        files::blocking_write_atomically(
            run.file("summary.json"),
            std::string(R"({"rubric":{"total_count":30,"pass_count":21},"release_ready":true,)")
                .append(R"("extra":{"incomplete":false,"unscored_count":2)")
                .append(more)
                .append("}}"))
            .value();
        run.blocking_write_phase("done").value();
    }
    std::vector<std::string> ids() {
        std::vector<std::string> all;
        for (const auto& [id, facts] : *catalog_.blocking_look().value())
            all.push_back(id);
        return all;
    }

    testing::TemporaryFolder folder_;
    RunCatalog catalog_{folder_.path()};
};

TEST_F(RunCatalogTest, ListsTheNewestFirst) {
    make("20260101-a");
    make("20260301-c");
    make("20260201-b");
    EXPECT_EQ(ids(), (std::vector<std::string>{"20260301-c", "20260201-b", "20260101-a"}));
}

TEST_F(RunCatalogTest, FollowsRunsThatComeAndGo) {
    EXPECT_TRUE(ids().empty());
    const auto first = make("1");
    EXPECT_EQ(ids().size(), 1U);
    make("2");
    EXPECT_EQ(ids().size(), 2U);
    first.blocking_remove().value();
    EXPECT_EQ(ids(), (std::vector<std::string>{"2"}));
    EXPECT_FALSE(catalog_.blocking_find("1"));
}

TEST_F(RunCatalogTest, FollowsThePhaseOfARunUntilItIsOver) {
    const auto run = make("1");
    EXPECT_EQ(catalog_.blocking_look().value()->at("1")->phase, RunPhase::queued);
    run.blocking_write_phase("running").value();
    EXPECT_EQ(catalog_.blocking_look().value()->at("1")->phase, RunPhase::running);
    run.blocking_write_phase("failed").value();
    EXPECT_EQ(catalog_.blocking_look().value()->at("1")->phase, RunPhase::failed);
    run.blocking_write_phase("running").value();
    EXPECT_EQ(catalog_.blocking_look().value()->at("1")->phase, RunPhase::running)
        << "one that failed may be taken up again";
}

TEST_F(RunCatalogTest, TellsWhatCameOfARun) {
    const auto run = make("1");
    EXPECT_EQ(catalog_.blocking_find("1")->total, 30U);
    EXPECT_FALSE(catalog_.blocking_find("1")->outcome);
    finish(run);
    const auto facts = catalog_.blocking_find("1");
    ASSERT_TRUE(facts->outcome);
    EXPECT_EQ(facts->outcome->done, 30U);
    EXPECT_EQ(facts->outcome->passed, 21U);
    EXPECT_EQ(facts->outcome->errors, 2U);
    EXPECT_TRUE(facts->outcome->release_ready);
    EXPECT_EQ(facts->model, "p/m@1");
}

TEST_F(RunCatalogTest, DoesNotCallARunReadyThatCouldNotBeMeasured) {
    const auto run = make("1");
    finish(run);
    EXPECT_EQ(catalog_.blocking_find("1")->outcome->measured, job::Measured::complete)
        << "a summary of an older version does not say";
    const auto other = make("2");
    finish(other, R"(,"measured":"partial")");
    EXPECT_EQ(catalog_.blocking_find("2")->outcome->measured, job::Measured::partial);
    const auto spoilt = make("3");
    finish(spoilt, R"(,"measured":"partial","could_measure":"complete")");
    EXPECT_EQ(catalog_.blocking_find("3")->outcome->measured, job::Measured::complete)
        << "what the model itself spoilt is measured";
    EXPECT_FALSE(catalog_.blocking_find("2")->outcome->release_ready);
}

TEST_F(RunCatalogTest, TellsWhyARunIsInItsPhase) {
    const auto run = make("1");
    EXPECT_EQ(catalog_.blocking_find("1")->note, "");
    finish(run);
    run.blocking_write_phase("done", "significantly\nworse").value();
    EXPECT_EQ(catalog_.blocking_find("1")->note, "significantly worse");
}

TEST_F(RunCatalogTest, GoesOnWithoutAFolderThatIsBroken) {
    make("1");
    const auto broken = make("2");
    files::blocking_write_atomically(broken.file("run.json"), "not json").value();
    EXPECT_EQ(ids(), (std::vector<std::string>{"1"}));
}

TEST_F(RunCatalogTest, LooksForNoRunOutsideItsFolder) {
    make("1");
    for (const char* id : {"../runs/1", "..", "", ".new-1", "1/../1", "1\n"})
        EXPECT_FALSE(catalog_.blocking_find(id)) << id;
}

}  // namespace
}  // namespace evalfleet::catalog
