#include "cli/group_summary.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/scoring/derive.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class GroupSummaryTest : public ::testing::Test {
  protected:
    fs::path put_run(const std::string& folder, const std::string& model, int score,
                     std::optional<std::string> group_id) {
        job::RunMetadata run;
        run.run_id = folder;
        run.group_id = std::move(group_id);
        run.timestamp_utc = "2026-01-02T03:04:05Z";
        run.dataset_hash = std::string(64, 'a');
        run.sample_count = 8;
        run.model = {"main", model, "1"};
        run.prompt_template = {"p", "2", std::nullopt, "{{task}}", std::string(64, 'b')};
        run.policy.bootstrap.replicates = 100;
        std::string records;
        for (int i = 0; i < 8; ++i) {
            job::TrialRecord record;
            record.sample_index = i;
            record.answer = "a";
            record.latency_e2e_ms = 100;
            record.input_tokens = record.output_tokens = 1;
            record.correctness_score = record.faithfulness_score = score;
            scoring::derive(record, run.policy);
            records += job::to_json(record) + "\n";
        }
        const fs::path home = folder_ / folder;
        fs::create_directories(home);
        EXPECT_TRUE(files::blocking_write_atomically(home / "run.json", job::to_json(run)));
        EXPECT_TRUE(files::blocking_write_atomically(home / "records.jsonl", records));
        return home;
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(GroupSummaryTest, IsWrittenBesideTheRunsWithSlicesAndRanking) {
    const auto group = blocking_write_group(
        folder_.path(), {put_run("g-1", "small", 1, "g"), put_run("g-2", "large", 2, "g")});
    ASSERT_TRUE(group) << group.error().message;
    EXPECT_EQ(group->file, folder_ / "group.json");
    ASSERT_EQ(group->summary.ranking.size(), 2U);
    EXPECT_EQ(group->summary.ranking[0].run, 1U) << "the second is the better one";
    const std::string text = files::blocking_read_file(group->file, 1 << 20).value();
    EXPECT_THAT(text, HasSubstr("\"group_id\": \"g\""));
    EXPECT_THAT(text, HasSubstr("\"main/large@1\": {"));
    EXPECT_THAT(text, HasSubstr("\"p@2\": {"));
    EXPECT_EQ(text, reduce::to_json(group->summary));
}

TEST_F(GroupSummaryTest, KnowsItsGroupAlthoughRunsWereTriedAgainOutsideOfIt) {
    const auto second = put_run("g-2", "large", 2, "g");
    EXPECT_EQ(blocking_write_group(folder_.path(), {put_run("g-1", "s", 1, {}), second})
                  ->summary.group_id,
              "g");
    EXPECT_EQ(blocking_write_group(folder_.path(),
                                   {put_run("g-1", "s", 1, {}), put_run("g-2", "l", 2, {})})
                  ->summary.group_id,
              "g");
}

TEST_F(GroupSummaryTest, TellsTheRankingInJson) {
    const auto group = blocking_write_group(
        folder_.path(), {put_run("g-1", "small", 1, "g"), put_run("g-2", "large", 2, "g")});
    ASSERT_TRUE(group);
    std::string text;
    json::Writer writer(text);
    write(writer, &*group);
    EXPECT_THAT(text, HasSubstr(R"({"group_id":"g","file":")" + group->file.string() +
                                R"(","ranking":[{"rank":1,"run_id":"g-2","model":"main/large@1",)"
                                R"("prompt_template_version":"p@2","aggregate_score":)"));
    std::string none;
    json::Writer empty(none);
    write(empty, nullptr);
    EXPECT_EQ(none, "null");
}

TEST_F(GroupSummaryTest, IsRefusedWithoutRunsOrRecords) {
    EXPECT_FALSE(blocking_write_group(folder_.path(), {}));
    EXPECT_FALSE(blocking_write_group(folder_.path(), {folder_ / "nowhere"}));
}

}  // namespace
}  // namespace evalfleet::cli
