#include "cli/rejudgement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RejudgeBody, SplitsTheJudge) {
    EXPECT_EQ(rejudge_body({.judge = "main/gpt-4o@2024-11-20", .name = "again"}).value(),
              R"({"judge":{"provider":"main","name":"gpt-4o","version":"2024-11-20"},)"
              R"("name":"again"})");
    EXPECT_EQ(
        rejudge_body({.judge = "or/meta/llama@3", .profile = "spec-v1"}).value(),
        R"({"judge":{"provider":"or","name":"meta/llama","version":"3","profile":"spec-v1"}})")
        << "a model's name may hold slashes";
    EXPECT_EQ(rejudge_body({.judge = "main/gpt-4o"}).value(),
              R"({"judge":{"provider":"main","name":"gpt-4o"}})")
        << "whether a version is needed is the coordinator's to say";
}

TEST(RejudgeBody, TakesAPolicyAlone) {
    EXPECT_EQ(rejudge_body({.policy = R"({"gates":{}})"}).value(), R"({"policy":{"gates":{}}})");
}

TEST(RejudgeBody, RefusesWhatIsNoJudge) {
    for (const char* judge : {"gpt-4o", "/gpt-4o@1", "main/", "main/@1", ""}) {
        const auto body = rejudge_body({.judge = judge});
        ASSERT_FALSE(body) << judge;
        EXPECT_THAT(body.error().message, HasSubstr("allowed: PROVIDER/NAME@VERSION"));
    }
}

TEST(RejudgeBody, NeedsSomethingToChange) {
    EXPECT_FALSE(rejudge_body({.name = "again"}));
    EXPECT_FALSE(rejudge_body({.profile = "spec-v1", .policy = "{}"}));
}

TEST(LabelsRefusal, NamesTheCommandThatTakesThem) {
    const Error folder = labels_refusal("results/", true, "by-hand.jsonl");
    EXPECT_EQ(folder.kind, ErrorKind::invalid);
    EXPECT_THAT(folder.message,
                HasSubstr("evalfleet derive results/records.jsonl --labels by-hand.jsonl"));
    EXPECT_THAT(labels_refusal("20261116-020000-3f9a2c-qa", false, "l.jsonl").message,
                AllOf(HasSubstr("evalfleet derive RECORDS.jsonl --labels l.jsonl"),
                      HasSubstr("/api/v1/runs/20261116-020000-3f9a2c-qa/records.jsonl")));
}

}  // namespace
}  // namespace evalfleet::cli
