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

TEST(MarkdownReport, EscapesWhatModelsWrote) {
    const ExampleRun run;
    const std::string text = to_markdown(run.report());
    EXPECT_THAT(text, Not(HasSubstr("<script>")));
    EXPECT_THAT(text, HasSubstr("\\| \\`x\\`"));
}

}  // namespace
}  // namespace evalfleet::report
