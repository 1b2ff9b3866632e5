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

TEST(RejudgeBody, TakesLabelsInsteadOfAJudge) {
    const auto body = rejudge_body({.labels = "{\"sample_id\":\"a\"}\n"});
    ASSERT_TRUE(body) << body.error().message;
    EXPECT_EQ(*body, R"({"labels":{"text":"{\"sample_id\":\"a\"}\n"}})");
    EXPECT_TRUE(rejudge_body({.labels = "{}", .policy = "{}"}));
    const auto both = rejudge_body({.judge = "p/m@1", .labels = "{}"});
    ASSERT_FALSE(both);
    EXPECT_THAT(both.error().message, HasSubstr("allowed: one of them"));
}

}  // namespace
}  // namespace evalfleet::cli
