#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(JunitReport, HasACaseForEachGateAndExample) {
    const ExampleRun run;
    const std::string xml = to_junit(run.report());
    EXPECT_THAT(xml, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
                                "name=\"evalfleet\" tests=\"7\" failures=\"1\" errors=\"0\">"));
    EXPECT_THAT(xml, HasSubstr("<testcase classname=\"nightly &lt;qa&gt;.gates\" "
                               "name=\"pass_rate\">\n      <failure type=\"gate\" message=\"Pass "
                               "rate is 80.0 % (95 % CI 75.0 % to 84.0 %), required ≥ 85.0 %: "
                               "failed.\"/>"));
    EXPECT_THAT(xml, HasSubstr("name=\"s0 #1\" time=\"0.013\">\n      <skipped "
                               "message=\"incorrect_answer\"/>"));
}

TEST(JunitReport, HasACaseForTheBaselineIfThereIsOne) {
    const ExampleRun run;
    Report report = run.report();
    EXPECT_THAT(to_junit(report), Not(HasSubstr("name=\"baseline\"")));
    report.baseline = {true, "not significantly worse than the baseline main (r-0)"};
    EXPECT_THAT(to_junit(report), HasSubstr("tests=\"8\" failures=\"1\""));
    EXPECT_THAT(to_junit(report), HasSubstr("name=\"baseline\">\n      <system-out>"));
    report.baseline = {false, "significantly worse than the baseline <main>"};
    const std::string xml = to_junit(report);
    EXPECT_THAT(
        xml, HasSubstr("<testsuites name=\"evalfleet\" tests=\"8\" failures=\"2\" errors=\"0\">"));
    EXPECT_THAT(xml, HasSubstr("<testsuite name=\"gates\" tests=\"5\" failures=\"2\""));
    EXPECT_THAT(xml, HasSubstr("name=\"baseline\">\n      <failure type=\"baseline\" message=\"The "
                               "run is significantly worse than the baseline &lt;main&gt;.\"/>"));
}

TEST(JunitReport, HasErrorsAndNoFailuresWhereNothingWasMeasured) {
    ExampleRun run;
    run.metadata.api_key_id = "my-label";
    run.summary.extra.measured = job::Measured::not_measured;
    run.summary.extra.unmeasured_by_reason = {{"http_4xx 401", 300}};
    const std::string xml = to_junit(run.report());
    EXPECT_THAT(xml, HasSubstr("tests=\"5\" failures=\"0\" errors=\"2\""));
    EXPECT_THAT(xml,
                HasSubstr("<error type=\"not_measured\" message=\"could not measure: 300 of 300 "
                          "calls refused (401, key my-label)."));
    EXPECT_THAT(xml, HasSubstr("<error type=\"gate\""));
    EXPECT_THAT(xml, ::testing::Not(HasSubstr("<failure")));
}

TEST(JunitReport, HasNoCharacterThatXmlForbids) {
    const ExampleRun run;
    const std::string xml = to_junit(run.report());
    EXPECT_THAT(xml, Not(HasSubstr("<script>")));
    for (const char c : xml)
        EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20);
}

}  // namespace
}  // namespace evalfleet::report
