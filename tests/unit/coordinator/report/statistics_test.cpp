// What every format says about slices, power and small samples.

#include "common/job/p95_limit.hpp"
#include "coordinator/report/outline.hpp"
#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> all_formats(const ExampleRun& run) {
    return {to_text(run.report()), to_markdown(run.report()), to_html(run.report())};
}

TEST(SliceReports, SayWhichSliceDiffersAndOfWhichNothingIsSaid) {
    const ExampleRun run;
    for (const std::string& report : all_formats(run)) {
        EXPECT_THAT(report, HasSubstr("pass rate −12.0 %"));
        EXPECT_THAT(report, Not(HasSubstr("score −0.020"))) << "that may be chance";
        EXPECT_THAT(report, HasSubstr("12 samples, fewer than 20"));
        EXPECT_THAT(report, HasSubstr("may be chance"));
        EXPECT_THAT(report, HasSubstr("One slice differs from the rest beyond chance, corrected "
                                      "for 4 tests"));
        EXPECT_THAT(report, HasSubstr("71.0 % to 88.0 %")) << "the interval of samples";
    }
}

TEST(SliceReports, GreySlicesWithTooFewSamples) {
    const ExampleRun run;
    EXPECT_THAT(to_html(run.report()), HasSubstr("<tr class=\"faint\"><th scope=\"row\""));
    EXPECT_THAT(to_markdown(run.report()), HasSubstr("| *12* | *300* |"));
    EXPECT_THAT(to_markdown(run.report()), HasSubstr("| 60 | 300 |"));
    EXPECT_THAT(to_text(run.report(), {.color = true}), HasSubstr("\x1b[2m  <script>"));
}

TEST(SliceReports, MakeNoHeadlineOfTheLowestSliceWithoutAFinding) {
    ExampleRun run;
    run.summary.extra.slice_tests.task_types["qa"].rubric_pass_rate.p_value_bh = 0.2;
    for (const std::string& report : all_formats(run)) {
        EXPECT_THAT(report, HasSubstr("No slice differs from the rest beyond chance, corrected for "
                                      "4 tests"));
        EXPECT_THAT(report, Not(HasSubstr("−12.0 %")));
    }
    run.summary.extra.slice_tests = {};
    EXPECT_EQ(slices_sentence(run.summary.extra.slice_tests), "");
}

TEST(SliceReports, ShowThoseThatDifferWhereThereAreTooManyToShow) {
    job::Summary::Slices slices;
    job::SliceTests tests;
    for (int i = 0; i < 100; ++i) {
        const std::string value = "v" + std::to_string(100 + i);
        slices[value].rubric.total_count = 30;
        tests[value].samples = i == 99 ? 20 : 30;
    }
    tests["v199"].aggregate_score = {-0.1, 0.0001, 0.01};
    const Table table = slices_table("By tag: x", slices, tests);
    ASSERT_EQ(table.rows.size(), 40U);
    EXPECT_EQ(table.rows.back().front(), "v199");
    EXPECT_EQ(table.rows.back().back(), "score −0.100");
    EXPECT_THAT(table.note, HasSubstr("40 of 100"));
}

TEST(PowerNotes, SayWhatARunCanTellApartAndWhatWouldHelp) {
    ExampleRun run;
    run.summary.extra.power.aggregate_score = {.between_variance = 0.02,
                                               .within_variance = 0.01,
                                               .detectable = 0.05,
                                               .with_twice_the_samples = 0.035,
                                               .with_twice_the_repeats = 0.046};
    for (const std::string& report : all_formats(run)) {
        EXPECT_THAT(report, HasSubstr("over other samples an aggregate score would have to differ "
                                      "by 0.050 to be told apart 4 times of 5"));
        EXPECT_THAT(report, HasSubstr("0.035; twice the repeats"));
        EXPECT_THAT(report, HasSubstr("0.046."));
    }
    run.summary.extra.power.aggregate_score.with_twice_the_repeats = std::nullopt;
    EXPECT_THAT(to_text(run.report()), HasSubstr("no sample was repeated."));
    run.summary.extra.power = {};
    EXPECT_THAT(to_text(run.report()), HasSubstr("cannot be estimated"));
}

TEST(SmallSamples, HaveNoIntervalOfTheP95InAnyFormat) {
    ExampleRun run;
    const std::string shown = "1.40 s to 1.70 s";
    for (const std::string& report : all_formats(run))
        EXPECT_THAT(report, HasSubstr(shown));
    run.summary.extra.p95_without_limit = job::why_no_p95_limit(20);
    const std::string why =
        "20 samples, and below 59 no upper limit of a p95 holds without assumptions";
    std::vector<std::string> reports = all_formats(run);
    reports.push_back(to_junit(run.report()));
    for (const std::string& report : reports) {
        EXPECT_THAT(report, Not(HasSubstr(shown)));
        EXPECT_THAT(report, HasSubstr(why));
    }
    EXPECT_EQ(make_gates(run.summary).back().ci95(), std::nullopt) << "no band is drawn";
}

TEST(SmallSamples, EndAtFiftyNine) {
    EXPECT_TRUE(job::why_no_p95_limit(58));
    EXPECT_FALSE(job::why_no_p95_limit(59));
}

}  // namespace
}  // namespace evalfleet::report
