#include "cli/catalog_views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

job::TrialRecord trial(std::int64_t repeat, bool passed) {
    job::TrialRecord record;
    record.sample_id = "qa-17";
    record.sample_index = 16;
    record.repeat = repeat;
    record.answer = passed ? "In 1871" : "In 1872,\nor so";
    record.rubric_passed = passed;
    record.correctness_score = passed ? 2 : 0;
    record.rationale = passed ? "right" : "the year is wrong";
    if (!passed) record.failure_label = job::FailureLabel::incorrect_answer;
    record.latency_e2e_ms = 812.44;
    return record;
}

TEST(SampleText, ShowsQuestionAnswersScoresAndReasonsOfAllRepeats) {
    const job::TrialRecord trials[]{trial(1, true), trial(2, false)};
    const std::string text = sample_text(ShownSample{"In which year?", "", "1871"}, trials);
    EXPECT_THAT(text, HasSubstr("sample qa-17 (index 16, default)\n"));
    EXPECT_THAT(text, HasSubstr("  task         In which year?\n"));
    EXPECT_THAT(text, HasSubstr("  reference    1871\n"));
    EXPECT_THAT(text, Not(HasSubstr("context")));
    EXPECT_THAT(text, HasSubstr("repeat 1: passed\n"));
    EXPECT_THAT(text, HasSubstr("repeat 2: failed, incorrect_answer\n"));
    EXPECT_THAT(text, HasSubstr("  answer       In 1872,\n               or so\n"));
    EXPECT_THAT(text, HasSubstr("accuracy 0 of 2, faithfulness none"));
    EXPECT_THAT(text, HasSubstr("  reason       the year is wrong\n"));
    EXPECT_THAT(text, HasSubstr("  took         812.4 ms\n"));
}

TEST(SampleText, CannotSteerATerminal) {
    job::TrialRecord hostile = trial(1, false);
    hostile.answer = "\x1b[2Jgone";
    const job::TrialRecord trials[]{hostile};
    EXPECT_THAT(sample_text(std::nullopt, trials), Not(HasSubstr("\x1b")));
}

TEST(CatalogViews, ShowWhatIsMissingAsADash) {
    const auto groups = groups_table(R"({"groups":[{"group_id":"g1","runs":4,"over":1}]})", {});
    ASSERT_TRUE(groups);
    EXPECT_THAT(*groups, HasSubstr("g1"));
    EXPECT_THAT(*groups, HasSubstr("1/4"));
    const auto one = datasets_table(R"({"id":"qa","versions":[{"id":"qa","samples":7}]})", {});
    ASSERT_TRUE(one);
    EXPECT_THAT(*one, HasSubstr("qa       -"));
    const auto all = datasets_table(R"({"datasets":[{"id":"qa","version":"2"}]})", {});
    ASSERT_TRUE(all);
    EXPECT_THAT(*all, HasSubstr("qa       2"));
    EXPECT_FALSE(trials_table("{}", {}));
}

}  // namespace
}  // namespace evalfleet::cli
