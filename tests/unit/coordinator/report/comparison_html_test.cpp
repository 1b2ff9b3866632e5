#include "coordinator/report/comparison_html.hpp"

#include "coordinator/report/group_report.hpp"
#include "coordinator/report/word_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = DiffPiece::Kind;

constexpr const char* kHostile = "<script>alert(1)</script>";

reduce::RunComparison comparison() {
    reduce::RunComparison out;
    reduce::MetricDifference row;
    row.name = "rubric_pass_rate";
    row.base = 0.9;
    row.candidate = 0.8;
    row.difference = -0.1;
    row.ci95 = statistics::Interval{-0.15, -0.05};
    row.p_value_holm = 0.004;
    row.testable = true;
    row.verdict = reduce::Finding::worse;
    out.metrics = {row};
    out.shared_trials = 186;
    out.flipped = {{3, 1, "rubric", false, "q-3"}, {3, 2, "rubric", false, "q-3"}};
    return out;
}

TEST(ComparisonHtml, SaysWhatItFoundAndStandsAlone) {
    const std::string html = to_html(comparison(), {"base", "candidate"});
    EXPECT_THAT(html, HasSubstr("<strong>WORSE</strong>"));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_THAT(html, HasSubstr("data-t=\"Difference\">-0.1</td>"));
    EXPECT_THAT(html, HasSubstr("-0.15 to -0.05"));
    EXPECT_THAT(html, HasSubstr("✗ worse"));
    EXPECT_THAT(html, HasSubstr("0 now pass and 2 now fail"));
    EXPECT_THAT(html, Not(HasSubstr("http://")));
    EXPECT_THAT(html, Not(HasSubstr("src=")));
}

TEST(ComparisonHtml, ShowsTheRepeatsOfASampleAsOneEntryWithWhatDiffers) {
    const ComparedTrial first{"q-3", 1, false, "When?", "1889", "In 1889 it was", "In 1871 it was"};
    ComparedTrial second = first;
    second.repeat = 2;
    second.candidate = std::nullopt;
    const std::string html = to_html(comparison(), {"a", "b", {first, second}});
    EXPECT_EQ(html.find("<details><summary>q-3"), html.rfind("<details><summary>q-3"));
    EXPECT_THAT(html, HasSubstr("In <del>1889</del> it was"));
    EXPECT_THAT(html, HasSubstr("In <ins>1871</ins> it was"));
    EXPECT_THAT(html, HasSubstr("Repeat 2"));
    EXPECT_THAT(html, HasSubstr("<ins>no</ins>"));
}

TEST(ComparisonHtml, ShowsTheSlicesThatMoved) {
    const std::string html =
        to_html(comparison(), {"a", "b", {}, {{"lang: de", 40, 0.9, 0.75}, {kHostile, 1, 0, 1}}});
    EXPECT_THAT(html, HasSubstr("Slices that moved most"));
    EXPECT_THAT(html, HasSubstr("lang: de"));
    EXPECT_THAT(html, HasSubstr("-15.0 %"));
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
}

TEST(ComparisonHtml, ShowsHostileTextsAsText) {
    reduce::RunComparison hostile = comparison();
    hostile.metrics[0].name = kHostile;
    hostile.incomparable = {kHostile};
    const ComparedTrial trial{kHostile, 1, true, kHostile, kHostile, kHostile, "x"};
    EXPECT_THAT(to_html(hostile, {kHostile, kHostile, {trial}}), Not(HasSubstr("<script>alert")));
}

TEST(GroupHtml, ShowsHostileNamesAsText) {
    reduce::GroupSummary group;
    group.group_id = kHostile;
    group.incomparable = {kHostile};
    group.runs.resize(2);
    for (reduce::GroupRun& run : group.runs) {
        run.run_id = kHostile;
        run.model = kHostile;
        run.prompt_template = kHostile;
    }
    group.ranking = {{0, 1, {}}, {1, 2, comparison().metrics}};
    const std::string html = to_html(group);
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(html, HasSubstr("<h2>Ranking</h2>"));
    EXPECT_THAT(html, HasSubstr("against the baseline</h2>"));
    EXPECT_THAT(html, HasSubstr("-0.15 to -0.05"));
}

TEST(WordDiff, FindsWhatChangedWordByWord) {
    EXPECT_THAT(word_diff("the old  house", "the new  house"),
                ElementsAre(DiffPiece{Kind::same, "the "}, DiffPiece{Kind::gone, "old"},
                            DiffPiece{Kind::added, "new"}, DiffPiece{Kind::same, "  house"}));
    EXPECT_THAT(word_diff("a", "a"), ElementsAre(DiffPiece{Kind::same, "a"}));
    EXPECT_THAT(word_diff("", ""), ElementsAre());
    EXPECT_THAT(word_diff("", "b"), ElementsAre(DiffPiece{Kind::added, "b"}));
}

TEST(WordDiff, LosesNothingOfTextsThatAreTooLongToCompare) {
    std::string before;
    std::string after;
    for (std::size_t i = 0; i < 2 * kMostDiffWords; ++i) {
        before += "a" + std::to_string(i) + " ";
        after += "b" + std::to_string(i) + " ";
    }
    std::string gone;
    std::string added;
    for (const DiffPiece& piece : word_diff(before, after)) {
        if (piece.kind != Kind::added) gone += piece.text;
        if (piece.kind != Kind::gone) added += piece.text;
    }
    EXPECT_EQ(gone, before);
    EXPECT_EQ(added, after);
}

}  // namespace
}  // namespace evalfleet::report
