#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(MarkdownReport, BeginsWithTheVerdict) {
    const ExampleRun run;
    EXPECT_THAT(to_markdown(run.report()), StartsWith("# nightly &lt;qa&gt;: NOT READY\n"));
}

TEST(MarkdownReport, FoldsAllButVerdictGatesAndNotes) {
    const ExampleRun run;
    const std::string text = to_markdown(run.report());
    const auto fold = text.find("<details>");
    ASSERT_NE(fold, std::string::npos);
    EXPECT_LT(text.find("## Gates"), fold);
    EXPECT_GT(text.find("- **Model**"), fold);
    EXPECT_GT(text.find("## Examples of failed trials"), fold);
    EXPECT_TRUE(text.ends_with("</details>\n"));
}

TEST(MarkdownReport, HasTablesOfEqualWidth) {
    const ExampleRun run;
    const std::string text = to_markdown(run.report());
    EXPECT_THAT(text,
                HasSubstr("| Gate | Observed | 95 % CI | Required | Result |\n"
                          "| :-- | --: | --: | --: | :-- |\n"
                          "| Aggregate score | 0.853 | 0.830 to 0.870 | ≥ 0.800 | passed |\n"));
}

TEST(MarkdownReport, TellsWhyAJudgesRepliesOfATrialWereRejected) {
    ExampleRun run;
    job::TrialRecord record = ExampleRun::failed_trial(7);
    record.rationale.reset();
    record.evaluator_error = job::EvaluatorError::parse_error;
    record.evaluator_reply_faults = {"accuracy_score is missing", "the reply is not JSON"};
    record.evaluator_finish_reason = "length";
    run.findings.add(record);
    EXPECT_THAT(to_markdown(run.report()), HasSubstr("accuracy\\_score is missing"));
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("1. accuracy_score is missing\n2. the reply is not JSON\n"
                                "The last reply ended with: length"));
}

TEST(MarkdownReport, EscapesWhatModelsWrote) {
    const ExampleRun run;
    const std::string text = to_markdown(run.report());
    EXPECT_THAT(text, Not(HasSubstr("<script>")));
    EXPECT_THAT(text, HasSubstr("\\| \\`x\\`"));
}

}  // namespace
}  // namespace evalfleet::report
