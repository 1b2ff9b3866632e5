#include "common/statistics/student_t.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/report/outline.hpp"
#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>

namespace evalfleet::report {
namespace {

using job::CiMethod;
using job::OpenReason;
using statistics::Interval;
using testing::HasSubstr;
using testing::Not;

GateView view(const job::Gate& gate, Unit unit = Unit::share) {
    return {"gate", "Gate", unit, &gate};
}

job::Gate open_rate(std::uint64_t hits, std::uint64_t samples, double threshold) {
    job::Gate gate;
    gate.observed = {static_cast<double>(hits) / static_cast<double>(samples),
                     statistics::wilson_interval(hits, samples)};
    gate.threshold = gate.default_threshold = threshold;
    gate.samples = samples;
    gate.open_because = {OpenReason::interval};
    return gate;
}

// The number behind "about", without its commas.
std::uint64_t samples_named(const std::string& text) {
    const std::size_t at = text.find("about ");
    if (at == std::string::npos) return 0;
    std::string digits;
    for (std::size_t i = at + 6; i < text.size() && text[i] != ' '; ++i)
        if (text[i] >= '0' && text[i] <= '9') digits += text[i];
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

// Wilson's interval of the same rate in another number of trials, whole or not.
bool holds_threshold(double rate, double trials, double threshold) {
    const double square = statistics::kZ95 * statistics::kZ95 / trials;
    const double centre = (rate + square / 2) / (1 + square);
    const double half = std::sqrt(square * rate * (1 - rate) + square * square / 4) / (1 + square);
    return std::abs(threshold - centre) <= half;
}

TEST(GateView, NamesTheNumberOfSamplesThatWouldDecideARate) {
    struct Case {
        std::uint64_t hits;
        std::uint64_t samples;
        double threshold;
    };
    for (const Case& one : {Case{20, 20, 0.85}, Case{0, 20, 0.05}, Case{4, 100, 0.05},
                            Case{170, 190, 0.85}, Case{80, 100, 0.85}, Case{1, 300, 0.01}}) {
        const job::Gate gate = open_rate(one.hits, one.samples, one.threshold);
        const auto named = static_cast<double>(samples_named(view(gate).why_open()));
        const double rate = gate.observed.value.value();
        ASSERT_GT(named, static_cast<double>(one.samples));
        EXPECT_FALSE(holds_threshold(rate, named * 1.05, one.threshold)) << one.hits;
        EXPECT_TRUE(holds_threshold(rate, named * 0.9, one.threshold)) << one.hits;
    }
}

TEST(GateView, CountsRepeatsForWhatTheyAreWorth) {
    job::Gate gate = open_rate(90, 100, 0.87);  // as 300 trials of 100 samples that are identical
    gate.ci_method = CiMethod::wilson_clustered;
    const std::uint64_t identical = samples_named(view(gate).why_open());
    gate.observed.ci95 = statistics::wilson_interval(180, 200);  // worth two each
    EXPECT_NEAR(static_cast<double>(samples_named(view(gate).why_open())),
                static_cast<double>(identical) / 2, 2);
}

TEST(GateView, NamesTheNumberOfSamplesThatWouldDecideAMean) {
    job::Gate gate;
    gate.ci_method = CiMethod::bootstrap_or_t;
    gate.threshold = gate.default_threshold = 0.8;
    gate.samples = 10;
    gate.open_because = {OpenReason::interval};
    const double deviation = 0.3;
    const auto half = [&](double samples) {
        return statistics::student_t95(samples - 1) * deviation / std::sqrt(samples);
    };
    gate.observed = {0.85, Interval{0.85 - half(10), 0.85 + half(10)}};
    const auto named = static_cast<double>(samples_named(view(gate, Unit::score).why_open()));
    EXPECT_LT(half(named * 1.05), 0.05);
    EXPECT_GT(half(named * 0.9), 0.05);
}

TEST(GateView, SaysWhereSamplesWouldNotHelp) {
    job::Gate gate = open_rate(0, 50, 0);
    EXPECT_THAT(view(gate).why_open(), HasSubstr("no number of samples like these"));
    gate = open_rate(4, 100, 0.05);
    gate.open_because = {OpenReason::unscored};
    EXPECT_EQ(view(gate).why_open(),
              "answers without a score could turn it; scoring them would decide it, more samples "
              "would not");
    gate.open_because = {OpenReason::interval};
    gate.observed = {};
    EXPECT_EQ(view(gate).why_open(), "no trial has a value of it");
}

TEST(GateView, SaysHowManySamplesAnIntervalNeedsAtAll) {
    job::Gate gate;
    gate.samples = 4;
    gate.open_because = {OpenReason::small_sample, OpenReason::interval};
    EXPECT_EQ(view(gate).why_open(),
              "only 4 samples have a score, which is too few for an interval; 2 more would give it "
              "one (more repeats would not)");
}

TEST(GateView, AsksOfALatencyHowManyTrialsAreAboveItsThreshold) {
    job::Gate gate;
    gate.ci_method = CiMethod::bootstrap_and_share;
    gate.observed = {9000, Interval{8000, 12000}};
    gate.threshold = gate.default_threshold = 10000;
    gate.passed = true;
    gate.samples = 60;
    gate.share_over = job::Estimate{0.0, statistics::wilson_interval(0, 60)};
    gate.open_because = {OpenReason::interval};
    EXPECT_EQ(view(gate, Unit::milliseconds).why_open(),
              "0.0 % of the trials are above 10.0 s (95 % CI 0.0 % to 6.0 %), where 5.0 % may be; "
              "about 73 samples in all, 13 more, would decide it (more repeats of these would "
              "not)");
}

// Every format says it.
TEST(Reports, SayInWordsWhyAVerdictIsOpenForEveryReason) {
    ExampleRun run;
    job::Gate& gate = run.summary.gates.faithfulness_failure_rate;
    const std::vector<std::pair<OpenReason, std::vector<std::string>>> words{
        {OpenReason::small_sample, {"too few for an interval", "more would give it one"}},
        {OpenReason::interval, {"has the threshold", "samples in all", "would decide it"}},
        {OpenReason::unscored,
         {"answers without a score could turn it", "more samples would not"}}};
    for (const auto& [reason, fragments] : words) {
        gate.open_because = {reason};
        const Report report = run.report();
        for (const std::string& text :
             {to_text(report), to_markdown(report), to_html(report), to_junit(report)})
            for (const std::string& fragment : fragments)
                EXPECT_THAT(text, HasSubstr(fragment));
    }
}

TEST(Reports, GiveIntervalsThatHoldAfterAnEarlyEnd) {
    ExampleRun run;
    const std::string plain = to_text(run.report());
    EXPECT_THAT(plain, Not(HasSubstr("always valid")));
    run.summary.extra.missing_count = 100;
    run.summary.extra.saved_calls = 200;
    run.summary.extra.always_valid =
        job::AlwaysValid{120, {0.81, 0.9}, {0.7, 0.84}, {0, 0.09}, {0.01, 0.04}};
    const Report report = run.report();
    for (const std::string& text :
         {to_text(report), to_markdown(report), to_html(report), to_junit(report)}) {
        EXPECT_THAT(text, HasSubstr("not of a fixed size; always valid is 70.0 % to 84.0 %"));
        EXPECT_THAT(text, HasSubstr("always valid is 1.0 % to 4.0 % of the trials above 8.00 s"));
    }
}

TEST(Reports, SayWhatMovedWhileTheRunWentOn) {
    ExampleRun run;
    run.metadata.early_stop_note = "the pass rate moved from 0.950 to 0.700";
    EXPECT_THAT(to_text(run.report()),
                HasSubstr("! While the run went on, the pass rate moved from 0.950 to 0.700."));
}

TEST(GateView, SaysThatFewSamplesDecideNothingAlthoughTheIntervalIsClear) {
    job::Gate gate;
    gate.observed = {0.9, Interval{0.9, 0.9}};
    gate.ci_method = CiMethod::bootstrap_or_t;
    gate.threshold = gate.default_threshold = 0.8;
    gate.passed = true;
    gate.samples = 8;
    GateView few = view(gate, Unit::score);
    EXPECT_TRUE(few.is_decided());
    few.decision = {0.31, job::Doubt::few_samples, 32};
    EXPECT_FALSE(few.is_decided());
    EXPECT_EQ(few.outcome(), "passed, uncertain");
    EXPECT_EQ(few.why_open(),
              "8 samples may look like this by chance in up to 31.0 % of runs whose true figure is "
              "on the other side, and 2.5 % is the most for a decision; about 32 samples in all, "
              "24 more, would decide it (more repeats of these would not)");
    few.decision.p_value = 1;
    EXPECT_THAT(few.why_open(), HasSubstr("by chance in half or more of runs"));
}

TEST(GateView, NamesAsManySamplesAsTheStricterOfBothRulesNeeds) {
    const job::Gate gate = open_rate(20, 20, 0.85);
    GateView both = view(gate);
    both.decision = {0.03, job::Doubt::few_samples, 40};
    EXPECT_EQ(samples_named(both.why_open()), 40U);
    EXPECT_EQ(both.why_open().find("by chance"), std::string::npos) << "one reason is enough";
    both.decision.samples_needed = 21;
    EXPECT_EQ(samples_named(both.why_open()), samples_named(view(gate).why_open()));
}

TEST(GateView, SaysHowManySamplesWouldDecideWhatHasNoIntervalYet) {
    job::Gate gate;
    gate.samples = 4;
    gate.open_because = {OpenReason::small_sample, OpenReason::interval};
    GateView few = view(gate, Unit::score);
    few.decision = {1, job::Doubt::few_samples, 32};
    EXPECT_EQ(few.why_open(),
              "only 4 samples have a score, which is too few for an interval; about 32 samples in "
              "all, 28 more, would decide it (more repeats of these would not)");
}

TEST(GateView, NamesAtLeastAsManySamplesAsAnIntervalNeeds) {
    job::Gate gate;
    gate.samples = 1;
    gate.open_because = {OpenReason::small_sample, OpenReason::interval};
    GateView few = view(gate, Unit::score);
    few.decision = {0.1, job::Doubt::few_samples, 3};
    EXPECT_EQ(
        few.why_open(),
        "only 1 sample has a score, which is too few for an interval; about 6 samples in all, "
        "5 more, would decide it (more repeats of these would not)");
}

TEST(GateView, ShowsNoIntervalThatSaysNothing) {
    job::Gate gate;
    gate.observed = {0.25, Interval{0.25, 0.25}};
    gate.open_because = {OpenReason::small_sample};
    EXPECT_EQ(view(gate, Unit::score).ci95(), std::nullopt);
    gate.open_because.clear();
    gate.observed = {0.81, Interval{0.52, 1.1}};
    EXPECT_EQ(view(gate, Unit::score).ci95(), (Interval{0.52, 1})) << "no score is above 1";
}

TEST(GateView, DoesNotPromiseThatScoresAloneDecideWhatNeedsSamplesToo) {
    job::Gate gate = open_rate(80, 100, 0.85);
    gate.open_because = {OpenReason::interval, OpenReason::unscored};
    EXPECT_THAT(view(gate).why_open(), HasSubstr("could turn it besides; score them first"));
    EXPECT_THAT(view(gate).why_open(), Not(HasSubstr("more samples would not")));
}

TEST(GateView, SaysThatWhatWasNotMeasuredMayHaveMadeTheDifference) {
    job::Gate gate;
    gate.samples = 100;
    GateView lost = view(gate);
    lost.decision = {0.2, job::Doubt::unmeasured, 300};
    EXPECT_EQ(lost.why_open(),
              "trials without an answer or a score might have made the difference; measuring them "
              "would decide it");
    gate.open_because = {OpenReason::unscored};
    EXPECT_EQ(lost.why_open(),
              "answers without a score could turn it; scoring them would decide it, more samples "
              "would not");
}

TEST(Reports, DrawNoIntervalOfAMeanOfFewerThanSixSamples) {
    ExampleRun run;
    constexpr std::size_t kInterval = 2;
    run.summary.all.rubric.aggregate_score = {0.25, Interval{0.25, 0.25}};
    run.summary.gates.aggregate_score.samples = 6;
    EXPECT_EQ(scores_table(run.summary).rows.front().at(kInterval), "0.250 to 0.250");
    run.summary.gates.aggregate_score.samples = 5;
    EXPECT_EQ(scores_table(run.summary).rows.front().at(kInterval), "–");
}

// Wilson's interval of the block takes each of them for a new sample.
TEST(Reports, DoNotTakeRepeatsOfASampleForSamples) {
    ExampleRun run;
    constexpr std::size_t kInterval = 2;
    constexpr std::size_t kPassRate = 1;
    const auto shown = [&](std::size_t row) {
        return scores_table(run.summary).rows.at(row).at(kInterval);
    };
    run.summary.all.rubric.pass_rate = {0.9, Interval{0.85, 0.94}};
    run.summary.all.spec.pass_rate = {0.9, Interval{0.85, 0.94}};
    run.summary.all.rubric.accuracy_full_credit_rate = {0.9, Interval{0.85, 0.94}};
    run.summary.all.rubric.faithfulness_failure_rate = {0.1, Interval{0.06, 0.15}};
    run.summary.gates.pass_rate.observed = {0.9, Interval{0.8, 0.96}};
    run.summary.gates.faithfulness_failure_rate.observed = {0.1, Interval{0.03, 0.22}};
    run.summary.extra.spec_pass_rate_cluster_ci95 = Interval{0.81, 0.95};
    run.summary.gates.pass_rate.ci_method = job::CiMethod::wilson;
    EXPECT_EQ(shown(kPassRate), "85.0 % to 94.0 %");
    run.summary.gates.pass_rate.ci_method = job::CiMethod::wilson_clustered;
    EXPECT_EQ(shown(kPassRate), "80.0 % to 96.0 %");
    EXPECT_EQ(shown(kPassRate + 1), "81.0 % to 95.0 %");
    EXPECT_EQ(shown(4), "–") << "nobody has computed one that knows repeats";
    EXPECT_EQ(shown(6), "3.0 % to 22.0 %");
    run.summary.extra.spec_pass_rate_cluster_ci95 = Interval{1, 1};
    EXPECT_EQ(shown(kPassRate + 1), "–");
}

// Every format says it.
TEST(Reports, CallNoVerdictClearThatFewSamplesLeaveOpen) {
    ExampleRun run;
    ASSERT_THAT(to_text(run.report()), Not(HasSubstr("still open: Aggregate score")));
    run.summary.extra.gate_decisions[0] = {0.31, job::Doubt::few_samples, 32};
    const Report report = run.report();
    for (const std::string& text :
         {to_text(report), to_markdown(report), to_html(report), to_junit(report)})
        EXPECT_THAT(text, HasSubstr("by chance in up to 31.0 % of runs"));
    EXPECT_THAT(to_text(report), HasSubstr("still open: Aggregate score"));
}

}  // namespace
}  // namespace evalfleet::report
