#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(TextReport, BeginsWithTheVerdictAndItsGates) {
    const ExampleRun run;
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, StartsWith("NOT READY  nightly <qa>\n"
                                 "One gate failed: Pass rate; still open: Faithfulness "
                                 "failures.\n"));
    EXPECT_THAT(
        text,
        HasSubstr("  ✓ Aggregate score           0.853    0.830 to 0.870   ≥ 0.800  passed\n"
                  "  ✗ Pass rate                80.0 %  75.0 % to 84.0 %  ≥ 85.0 %  failed\n"));
    EXPECT_THAT(text, HasSubstr("passed, uncertain"));
    EXPECT_THAT(text, HasSubstr("(default 10.0 s)"));
}

TEST(TextReport, ShowsFailuresAsBars) {
    const ExampleRun run;
    EXPECT_THAT(to_text(run.report()),
                HasSubstr("  incorrect_answer       45  75.0 %  ██████████████████\n"
                          "  hallucinated_fact      15  25.0 %  ██████\n"));
}

TEST(TextReport, NamesWhoRefusedAttemptsAndTheLimitsThatWereLearnt) {
    ExampleRun run;
    EXPECT_THAT(to_text(run.report()), Not(HasSubstr("Throttled")));
    run.metadata.evaluator_model->provider = "other";
    run.metadata.learnt_limits["main"].calls_per_s = 9.96;
    run.metadata.learnt_limits["other"].calls_at_once = 84;
    job::TrialRecord record;
    record.failed_attempts = {{"http_429", 12}};
    record.evaluator_failed_attempts = {{"http_5xx", 1}};
    run.findings.add(record);
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, HasSubstr("Throttled by main: 12 attempts of the model's calls failed and "
                                "were made again (http_429)."));
    EXPECT_THAT(text, HasSubstr("Failures of other: 1 attempt of the judge's calls failed and was "
                                "made again (http_5xx)."));
    EXPECT_THAT(text, HasSubstr("Limit learnt of main: 9.96 calls/s."));
    EXPECT_THAT(text, HasSubstr("Limit learnt of other: 84 calls at once."));
}

TEST(TextReport, TellsWhatBecameOfTheJudgesReplies) {
    ExampleRun run;
    EXPECT_THAT(to_text(run.report()), Not(HasSubstr("rejected")));
    job::TrialRecord record;
    record.evaluator_reply_faults = {"the reply is not a JSON object"};
    record.evaluator_refused_parameters = {"seed"};
    run.findings.add(record);
    record.evaluator_finish_reason = "length";
    run.findings.add(record);
    const std::string text = to_text(run.report());
    EXPECT_THAT(text,
                HasSubstr("2 replies of the judge rejected: the reply is not a JSON object."));
    EXPECT_THAT(text, HasSubstr("cut off at max_tokens in 1 trial"));
    EXPECT_THAT(text, HasSubstr("The judge was asked without seed in 2 trials"));
}

TEST(Reports, SayHowTrialsEndedAndWhatTheFiguresAreWithoutThoseThatHaveNoAnswer) {
    const ExampleRun run;
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, HasSubstr("  Answered                         280  93.3 %\n"
                                "  Timed out                          5   1.7 %\n"
                                "  Call error: connect               12   4.0 %\n"));
    EXPECT_THAT(text, HasSubstr("  Evaluator error: parse_error       4   1.3 %\n"));
    EXPECT_THAT(text, HasSubstr("  Aggregate score             0.853           0.914\n"));
    EXPECT_THAT(text,
                HasSubstr("Of those labelled other: 12 lost to infrastructure; 2 without text "
                          "at the token limit; 1 without text; 4 not scored (evaluator)."));
    EXPECT_THAT(text, HasSubstr("24 trials have no answer or no score; from all of them failed to "
                                "all of them perfect, the aggregate score would go from 0.840 to "
                                "0.930 (measured: complete)."));
    for (const std::string& other : {to_markdown(run.report()), to_html(run.report())}) {
        EXPECT_THAT(other, HasSubstr("Answered trials alone"));
        EXPECT_THAT(other, HasSubstr("Outcomes"));
        EXPECT_THAT(other, HasSubstr("Evaluator error"));
        EXPECT_THAT(other, HasSubstr("12 lost to infrastructure; 2 without text"));
        EXPECT_THAT(other, HasSubstr("samples in all"));
    }
}

TEST(Reports, ShowTheLatencyOfTrialsWithoutAnAnswer) {
    const ExampleRun run;
    for (const std::string& report :
         {to_text(run.report()), to_markdown(run.report()), to_html(run.report())}) {
        EXPECT_THAT(report, HasSubstr("Without an answer"));
        EXPECT_THAT(report, HasSubstr("60.0 s"));
        EXPECT_THAT(report, HasSubstr("61.0 s"));
    }
}

TEST(Reports, SayWhereLatenciesComeFromAndWhatIsApproximate) {
    ExampleRun run;
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, HasSubstr("  Model latency        wire_estimate          80  26.7 %\n"));
    EXPECT_THAT(text, HasSubstr("  Hallucination score  derived               276  92.0 %\n"));
    for (const std::string& report : {text, to_markdown(run.report()), to_html(run.report())})
        EXPECT_THAT(report, HasSubstr("from the last byte of the request to the last byte"));
    run.summary.extra.latency_model_sources.by_name["wire_estimate"] = 0;
    EXPECT_THAT(to_text(run.report()), Not(HasSubstr("last byte")));
}

ExampleRun ready_run() {
    ExampleRun run;
    run.summary.gates.pass_rate.passed = true;
    run.summary.release_ready = true;
    return run;
}

TEST(TextReport, SaysReadyOnlyIfTheRunIsComplete) {
    ExampleRun run = ready_run();
    EXPECT_THAT(to_text(run.report()), StartsWith("RELEASE READY"));
    EXPECT_TRUE(is_ready(run.report()));
    run.summary.extra.missing_count = 1;
    EXPECT_THAT(to_text(run.report()), StartsWith("INCOMPLETE"));
    EXPECT_THAT(to_text(run.report()), HasSubstr("The run was stopped early"));
    EXPECT_FALSE(is_ready(run.report()));
}

TEST(TextReport, CallsARunCompleteThatEndedWhenItsVerdictWasCertain) {
    ExampleRun run = ready_run();
    run.summary.extra.missing_count = 100;
    run.summary.extra.saved_calls = 200;
    EXPECT_THAT(to_text(run.report()), StartsWith("RELEASE READY"));
    EXPECT_THAT(to_text(run.report()),
                HasSubstr("certain after 300 of 400 trials; 200 calls were not made."));
    EXPECT_THAT(to_text(run.report()), Not(HasSubstr("The run was stopped early")));
    EXPECT_TRUE(is_ready(run.report()));
}

TEST(TextReport, SaysNotReadyOfARunThatFellBehindItsBaseline) {
    const ExampleRun run = ready_run();
    Report report = run.report();
    report.baseline = {true, "not significantly worse than the baseline main (r-0)"};
    EXPECT_THAT(to_text(report), StartsWith("RELEASE READY"));
    report.baseline = {false, "significantly worse than the baseline main (r-0)\x1b[31m"};
    const std::string text = to_text(report);
    EXPECT_THAT(text, StartsWith("NOT READY"));
    EXPECT_THAT(text, HasSubstr("All four gates passed; still open: Faithfulness failures. The run "
                                "is significantly worse than the baseline "
                                "main (r-0)"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(to_markdown(report), HasSubstr("**NOT READY**"));
    EXPECT_THAT(to_html(report), HasSubstr("<strong>NOT READY</strong>"));
    EXPECT_FALSE(is_ready(report));
}

TEST(TextReport, HasNoControlCharacterButThoseOfItsColours) {
    const ExampleRun run;
    const std::string plain = to_text(run.report());
    for (const char c : plain)
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    EXPECT_THAT(to_text(run.report(), {.color = true}), HasSubstr("\x1b[1;31mNOT READY\x1b[0m"));
    EXPECT_THAT(to_text(run.report(), {.color = true}), Not(HasSubstr("\x1b[31m")));
}

TEST(TextReport, HasNoTrailingSpaces) {
    const ExampleRun run;
    EXPECT_THAT(to_text(run.report()), Not(HasSubstr(" \n")));
}

TEST(TextReport, WorksForARunWithoutAnyTrial) {
    const job::RunMetadata metadata;
    const job::Summary summary;
    const Findings findings;
    const Report report{metadata, summary, findings};
    EXPECT_THAT(to_text(report), StartsWith("NOT READY"));
    EXPECT_FALSE(to_markdown(report).empty());
    EXPECT_FALSE(to_html(report).empty());
    EXPECT_FALSE(to_junit(report).empty());
}

TEST(TextReport, SaysThatItCouldNotMeasureInsteadOfAVerdict) {
    ExampleRun run;
    run.metadata.api_key_id = "my-label";
    run.summary.release_ready = true;
    run.summary.extra.could_measure = job::Measured::partial;
    run.summary.extra.unmeasured_by_reason = {{"http_4xx 401", 30}};
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, StartsWith("PARTLY MEASURED  nightly <qa>\n"
                                 "could not measure: 30 of 300 calls refused (401, key my-label). "
                                 "Mend that, then try those trials again: evalfleet run --resume "
                                 "DIR, or, of a run at a coordinator, evalfleet retry r-1.\n"));
    EXPECT_THAT(text, HasSubstr("  ? Pass rate"));
    EXPECT_THAT(text, Not(HasSubstr("✗")));
    EXPECT_FALSE(is_ready(run.report()));
    for (const std::string& other : {to_markdown(run.report()), to_html(run.report())}) {
        EXPECT_THAT(other, HasSubstr("PARTLY MEASURED"));
        EXPECT_THAT(other, HasSubstr("30 of 300 calls refused"));
    }
}

}  // namespace
}  // namespace evalfleet::report
