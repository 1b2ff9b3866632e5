#include "cli/submission.hpp"

#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRunFile =
    "version: 1\nname: n\ndataset: {path: qa.jsonl, id: qa, version: \"7\"}\n"
    "model: {provider: main, name: m, version: \"1\"}\n"
    "judge: {provider: main, name: j, version: \"1\"}\n";

/// As `evalfleet submit` does it; the error is the faults' text.
Result<SubmissionPlan> plan_of(const std::string& file, bool no_upload,
                               const RunNotes& notes = {}) {
    auto run = blocking_check_submission(file, no_upload);
    if (!run) return run.error().status().error();
    return blocking_plan_submission(std::move(*run), no_upload, notes);
}

TEST(Submission, NamesTheDatasetByItsHashAndNoPath) {
    const test::ScratchFolder folder;
    folder.put("qa.jsonl", "{\"task\":\"one\"}\n{\"task\":\"two\"}\n");
    const auto plan = plan_of(folder.put("run.yaml", kRunFile), false);
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_TRUE(plan->upload);
    EXPECT_EQ(plan->upload->id, "qa");
    EXPECT_EQ(plan->upload->version, "7");
    EXPECT_EQ(plan->upload->samples, 2U);
    EXPECT_THAT(plan->body, HasSubstr(plan->upload->sha256));
    EXPECT_THAT(plan->body, Not(HasSubstr("qa.jsonl")));
}

TEST(Submission, NamesFileAndLineOfWhatIsWrongHere) {
    const test::ScratchFolder folder;
    folder.put("qa.jsonl", "{\"task\":\"one\"}\n{\"tsk\":\"two\"}\n");
    const std::string file = folder.put("run.yaml", kRunFile);
    const auto plan = plan_of(file, false);
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().message, HasSubstr("qa.jsonl:2"));
}

TEST(Submission, LeavesTheCoordinatorsPathsAlone) {
    const test::ScratchFolder folder;
    const std::string file = folder.put("run.yaml", kRunFile);
    const auto plan = plan_of(file, true);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_FALSE(plan->upload);
    EXPECT_EQ(plan->body, kRunFile);
}

TEST(Submission, EntersTheLabelsOfTheCommandLineInThePlaceOfTheFiles) {
    const test::ScratchFolder folder;
    const std::string file =
        folder.put("run.yaml", std::string(kRunFile) + "run_labels: {branch: main, pr: \"7\"}\n");
    const RunNotes notes{{"branch=fix"}, "why"};
    const auto plan = plan_of(file, true, notes);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan->is_json);
    EXPECT_THAT(plan->body, HasSubstr(R"("description":"why")"));
    EXPECT_THAT(plan->body, HasSubstr(R"("run_labels":{"branch":"fix","pr":"7"})"));
    const auto wrong = plan_of(file, true, RunNotes{{"branch"}, {}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message, "--label: found 'branch', allowed: KEY=VALUE");
}

TEST(Submission, PlacesWhatTheCoordinatorRefusesInTheRunFile) {
    const test::ScratchFolder folder;
    const std::string file = folder.put("run.yaml", kRunFile);
    const Error error = blocking_place_refusal(
        {.status = 422, .detail = "1 fault", .faults = {{"model.provider", 0, "found \"main\""}}},
        file);
    EXPECT_THAT(error.message, HasSubstr("run.yaml:4"));
    EXPECT_THAT(error.message, HasSubstr("found \"main\""));
}

TEST(DatasetId, IsMadeOfTheFilesName) {
    EXPECT_EQ(dataset_id_of("data/qa set.v1.jsonl"), "qa-set.v1");
    EXPECT_EQ(dataset_id_of("/x/.hidden"), "hidden");
    // Without its '@' an address would be an address all the same, and nobody would find it.
    const std::string of_jane = dataset_id_of("chats of jane.doe@example.org.jsonl");
    EXPECT_THAT(of_jane, testing::MatchesRegex("chats-of-REDACTED-email-[0-9a-f]{16}"));
    EXPECT_NE(of_jane, dataset_id_of("chats of john.doe@example.org.jsonl"));
    EXPECT_EQ(dataset_id_of("..."), "dataset");
    EXPECT_LE(dataset_id_of(std::string(300, 'a') + ".jsonl").size(), 64U);
}

TEST(HasDataset, ComparesHashAndVersion) {
    const UploadPlan plan{"qa.jsonl", nullptr, "qa", "7", "abc", 2};
    const auto has = [&](std::string_view versions) {
        return has_dataset(R"({"id":"qa","versions":)" + std::string(versions) + "}", plan);
    };
    EXPECT_TRUE(has(R"([{"hash":"abc","version":"7"}])").value());
    EXPECT_FALSE(has(R"([{"hash":"abc","version":"6"}])").value());
    EXPECT_FALSE(has("[]").value());
    const auto other = has(R"([{"hash":"def","version":"7"}])");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("versions do not change"));
    EXPECT_FALSE(has("7"));
}

}  // namespace
}  // namespace evalfleet::cli
