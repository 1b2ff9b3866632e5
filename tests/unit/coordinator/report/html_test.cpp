#include "common/job/manifest.hpp"
#include "coordinator/report/html_script.hpp"
#include "tests/unit/coordinator/report/example_run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HtmlReport, ShowsVerdictGatesAndExamples) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, StartsWith("<!doctype html>"));
    EXPECT_THAT(html, HasSubstr("<strong>NOT READY</strong>"));
    EXPECT_THAT(html, HasSubstr("open: its 95 % CI 2.0 % to 6.0 % has the threshold 5.0 % within"));
    EXPECT_THAT(html, HasSubstr("overridden; the default is 10.0 s"));
    EXPECT_THAT(html, HasSubstr("<summary>s0 #1"));
}

TEST(HtmlReport, EscapesWhatModelsWrote) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    const std::string ours = "<script>" + std::string(kHtmlScript) + "</script>";
    ASSERT_THAT(html, HasSubstr(ours));
    EXPECT_EQ(html.find("<script"), html.rfind(ours));
    EXPECT_EQ(html.rfind("<script"), html.rfind(ours));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("\x1b")));
}

TEST(HtmlReport, LoadsNothingFromOutside) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    for (const char* loader : {"http://", "https://", "src=", "url(", "@import"})
        EXPECT_THAT(html, Not(HasSubstr(loader))) << loader;
}

std::string hex_of_base64(std::string_view text) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bits;
    for (const char c : text) {
        if (c != '=') bits += std::bitset<6>(letters.find(c)).to_string();
    }
    std::string hex;
    for (std::size_t i = 0; i + 8 <= bits.size(); i += 8)
        hex += fmt::format("{:02x}", std::bitset<8>(bits.substr(i, 8)).to_ulong());
    return hex;
}

TEST(HtmlReport, LetsNoScriptRunButItsOwn) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("script-src " + html_script_source() + ";"));
    const std::string source = html_script_source();
    const std::string prefix = "'sha256-";
    ASSERT_THAT(source, StartsWith(prefix));
    const auto digest = source.substr(prefix.size(), source.size() - prefix.size() - 1);
    EXPECT_EQ(hex_of_base64(digest), job::sha256_hex(kHtmlScript));
    for (const char* handler : {" onclick", " onerror", " onload", "javascript:"})
        EXPECT_THAT(html, Not(HasSubstr(handler))) << handler;
}

TEST(HtmlReport, DrawsScoresAndLatencies) {
    ExampleRun run;
    run.summary.all.spec.correctness_scores = {{10, 20, 30}, 5};
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("<title>2: 30 (46.2 %)</title>"));
    EXPECT_THAT(html, HasSubstr("<title>10.0 ms to 13.3 ms: 3 trials</title>"));
    EXPECT_THAT(html, HasSubstr(">p95 1.52 s</text>"));
    EXPECT_THAT(html, HasSubstr(">limit of p95 8.00 s</text>"));
}

TEST(HtmlReport, GivesSlicesNumbersToSortBy) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("<table class=\"titled sortable\">"));
    EXPECT_THAT(html, HasSubstr("<td data-k=\"0.853\" data-t=\"Score\">0.853</td>"));
}

TEST(HtmlReport, WarnsOfDriftBeforeAnythingElse) {
    ExampleRun run;
    run.summary.extra.model_versions_reported = {{"gpt-1", 200}, {"<b>gpt-2", 100}};
    const std::string html = to_html(run.report());
    const auto warning = html.find(
        "more than one model version: &lt;b&gt;gpt-2 (100 trials), "
        "gpt-1 (200 trials).");
    ASSERT_NE(warning, std::string::npos);
    EXPECT_LT(warning, html.find("class=\"gates\""));
    EXPECT_THAT(to_text(run.report()), HasSubstr("! The provider answered with more than one"));
    EXPECT_THAT(to_markdown(run.report()), HasSubstr("> ⚠️ The provider answered"));
}

TEST(HtmlReport, WarnsOfTwoBuildsOfOneVersion) {
    ExampleRun run;
    run.summary.extra.system_fingerprints_reported = {{"fp_a", 299}, {"fp_b", 1}};
    const std::string warning =
        "The provider answered with more than one build (system_fingerprint): "
        "fp_a (299 trials), fp_b (1 trial).";
    EXPECT_THAT(to_html(run.report()), HasSubstr(warning));
    EXPECT_THAT(to_text(run.report()), HasSubstr("! " + warning));
}

TEST(HtmlReport, NamesTheFirstOfManyVersions) {
    ExampleRun run;
    for (int i = 10; i < 30; ++i)
        run.summary.extra.model_versions_reported["m-" + std::to_string(i)] = 2;
    run.summary.extra.model_versions_other_count = 5;
    EXPECT_THAT(to_text(run.report()), HasSubstr("m-17 (2 trials), others (29 trials)."));
}

TEST(HtmlReport, TellsTimingQualityCostsAndRedactions) {
    ExampleRun run;
    run.summary.extra.timing = {200, 190, 200};
    run.summary.extra.cost_usd = 1.5;
    run.summary.extra.evaluator_cost_usd = 0.25;
    run.summary.extra.redactions = {{"email", 7}};
    const std::string text = to_text(run.report());
    EXPECT_THAT(text, HasSubstr("Measured within 1 ms"));
    EXPECT_THAT(text, HasSubstr("95.0 %"));
    EXPECT_THAT(text, HasSubstr("Cost of the judge's calls"));
    EXPECT_THAT(text, HasSubstr("Redactions"));
    EXPECT_THAT(to_html(run.report()), HasSubstr("<h2>Redactions</h2>"));
}

/// Every element that is opened is closed, in order.
TEST(HtmlReport, IsWellFormed) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    std::vector<std::string> open;
    for (auto at = html.find('<', html.find("<html")); at != std::string::npos;
         at = html.find('<', at + 1)) {
        const auto end = html.find('>', at);
        const bool closes = html[at + 1] == '/';
        const auto begin = at + (closes ? 2 : 1);
        const std::string name = html.substr(begin, html.find_first_of(" >/", begin) - begin);
        const bool is_void = name == "meta" || name == "br" || html[end - 1] == '/';
        if (is_void) continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

job::Sample hostile_sample() {
    job::Sample sample;
    sample.task = "What is <b>this</b>?";
    sample.context = "A \"context\" & more";
    sample.reference_answer = "<script>alert(2)</script>";
    return sample;
}

TEST(HtmlReport, ShowsWhatWasAskedBesideAnAnswerAsText) {
    ExampleRun run;
    run.metadata.prompt_template.text = "Say: {{task}}";
    Report report = run.report();
    const auto examples = report.findings.examples();
    ASSERT_FALSE(examples.empty());
    EXPECT_THAT(to_html(report), Not(HasSubstr(">Question<"))) << "the data set is not at hand";
    report.samples.emplace(examples.front()->sample_index, hostile_sample());
    const std::string html = to_html(report);
    EXPECT_THAT(
        html,
        HasSubstr(">Question</div><pre tabindex=\"0\">What is &lt;b&gt;this&lt;/b&gt;?</pre>"));
    EXPECT_THAT(
        html,
        HasSubstr(">Context</div><pre tabindex=\"0\">A &quot;context&quot; &amp; more</pre>"));
    EXPECT_THAT(html, HasSubstr(">Reference</div><pre tabindex=\"0\">&lt;script&gt;alert(2)"));
    EXPECT_THAT(
        html,
        HasSubstr(
            "<summary>Prompt as it was sent</summary><pre tabindex=\"0\">Say: What is &lt;b"));
    EXPECT_THAT(to_junit(report), HasSubstr("prompt: Say: What is &lt;b&gt;this&lt;/b&gt;?"));
    EXPECT_THAT(to_junit(report), HasSubstr("question: What is &lt;b&gt;this&lt;/b&gt;?"));
    EXPECT_THAT(to_junit(report), HasSubstr("reference: &lt;script&gt;alert(2)"));
}

TEST(HtmlReport, SaysByWhichRuleTrialsAreCounted) {
    const std::string html = to_html(ExampleRun().report());
    EXPECT_THAT(html, HasSubstr("that did not pass by the Rubric."));
    EXPECT_THAT(html, HasSubstr("that did not pass by the Rubric or by the Specification"));
}

TEST(HtmlReport, NamesEachCellForScreensWithoutRoomForColumns) {
    const std::string html = to_html(ExampleRun().report());
    EXPECT_THAT(html, HasSubstr("<td data-t=\"Trials\">"));
    EXPECT_THAT(html, HasSubstr("content: attr(data-t)"));
}

TEST(HtmlReport, HasOneEntryForTheFailedRepeatsOfASample) {
    const ExampleRun run;
    Findings findings;
    job::TrialRecord record;
    record.sample_id = "s";
    record.failure_label = job::FailureLabel::incorrect_answer;
    for (int repeat = 1; repeat <= 3; ++repeat) {
        record.repeat = repeat;
        record.answer = "answer " + std::to_string(repeat);
        findings.add(record);
    }
    const Report example = run.report();
    const std::string html = to_html({example.metadata, example.summary, findings});
    EXPECT_THAT(html, HasSubstr("and 2 more</summary>"));
    EXPECT_EQ(html.find("<details><summary>s #"), html.rfind("<details><summary>s #"));
    for (const char* answer : {"answer 1", "answer 2", "answer 3"})
        EXPECT_THAT(html, HasSubstr(answer));
}

}  // namespace
}  // namespace evalfleet::report
