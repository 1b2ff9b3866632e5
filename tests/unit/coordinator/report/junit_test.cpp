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
    run.summary.extra.could_measure = job::Measured::not_measured;
    run.summary.extra.unmeasured_by_reason = {{"http_4xx 401", 300}};
    const std::string xml = to_junit(run.report());
    EXPECT_THAT(xml, HasSubstr("tests=\"5\" failures=\"0\" errors=\"2\""));
    EXPECT_THAT(xml,
                HasSubstr("<error type=\"not_measured\" message=\"could not measure: 300 of 300 "
                          "calls refused (401, key my-label)."));
    EXPECT_THAT(xml, HasSubstr("<error type=\"gate\""));
    EXPECT_THAT(xml, ::testing::Not(HasSubstr("<failure")));
}

TEST(JunitReport, HasOutcomesFailureLatenciesAndSourcesAsProperties) {
    const ExampleRun run;
    const std::string xml = to_junit(run.report());
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"run_id", "r-1"},
             {"outcomes.answered_count", "280"},
             {"outcomes.timed_out_count", "5"},
             {"outcomes.error_kinds.connect", "12"},
             {"outcomes.evaluator_errors.parse_error", "4"},
             {"outcomes.other_reasons.token_limit", "2"},
             {"outcomes.answered_only.pass_rate", "0.857"},
             {"failure_latency_count", "20"},
             {"failure_latency_p50_ms", "60000.0"},
             {"failure_latency_p95_ms", "61000.0"},
             {"latency_model_source.wire_estimate", "80"},
             {"hallucination_source.derived", "276"}}) {
        EXPECT_THAT(xml, HasSubstr("<property name=\"" + name + "\" value=\"" + value + "\"/>"));
    }
    EXPECT_THAT(xml, HasSubstr("passed, uncertain. It is open because its 95 % CI 2.0 % to 6.0 %"));
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
