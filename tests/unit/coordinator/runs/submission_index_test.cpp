#include "coordinator/runs/submission_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

store::Submission group() {
    return {"g", "g", "n", "t", "key", "body", {"g-2", "g-1"}};
}

TEST(SubmissionIndex, FindsByKeyAndGroup) {
    SubmissionIndex index;
    index.add(group());
    ASSERT_NE(index.find_key("key"), nullptr);
    EXPECT_EQ(index.find_key("key")->body_sha256, "body");
    EXPECT_EQ(index.find_key("other"), nullptr);
    EXPECT_THAT(index.runs_of_group("g"), ElementsAre("g-2", "g-1"));
    EXPECT_THAT(index.runs_of_group("x"), IsEmpty());
    EXPECT_THAT(index.groups(), ElementsAre("g"));
}

TEST(SubmissionIndex, ForgetsASubmissionWithItsLastRun) {
    SubmissionIndex index;
    index.add(group());
    EXPECT_EQ(index.remove_run("g-1"), std::nullopt);
    EXPECT_NE(index.find_key("key"), nullptr);
    EXPECT_EQ(index.remove_run("g-1"), std::nullopt) << "it was removed before";
    EXPECT_EQ(index.remove_run("g-2"), "g");
    EXPECT_EQ(index.find_key("key"), nullptr);
    EXPECT_THAT(index.runs_of_group("g"), IsEmpty());
    EXPECT_THAT(index.groups(), IsEmpty());
}

TEST(SubmissionIndex, KnowsNothingOfRunsThatCameOtherwise) {
    SubmissionIndex index;
    EXPECT_EQ(index.remove_run("r"), std::nullopt);
}

}  // namespace
}  // namespace evalfleet::runs
