#include "coordinator/report/findings.hpp"

#include "tests/unit/coordinator/report/example_run.hpp"

#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

TEST(Findings, KeepAFewExamplesOfEachLabel) {
    Findings findings;
    for (int i = 0; i < 100; ++i) {
        job::TrialRecord record = ExampleRun::failed_trial(i);
        if (i >= 50) record.failure_label = job::FailureLabel::other;
        findings.add(record);
    }
    const auto examples = findings.examples();
    ASSERT_EQ(examples.size(), 2 * Findings::kMaxExamplesPerLabel);
    EXPECT_EQ(examples.front()->sample_id, "s0");
    EXPECT_EQ(examples.back()->failure_label, job::FailureLabel::other);
    EXPECT_EQ(findings.failed(), 100U);
}

TEST(Findings, KeepTheWorstOfEachLabel) {
    Findings findings;
    for (int i = 0; i < 100; ++i) {
        job::TrialRecord record = ExampleRun::failed_trial(i);
        if (i % 2 == 0) record.sample_score = (i * 37 % 100) / 100.0;
        findings.add(record);
    }
    const auto examples = findings.examples();
    ASSERT_EQ(examples.size(), Findings::kMaxExamplesPerLabel);
    EXPECT_EQ(examples.front()->sample_score, 0.0);
    for (std::size_t i = 1; i < examples.size(); ++i)
        EXPECT_LE(*examples[i - 1]->sample_score, *examples[i]->sample_score);
    EXPECT_EQ(examples.back()->sample_score, 0.14);
}

TEST(LatencyHistogram, PutsEveryLatencyIntoItsStep) {
    LatencyHistogram histogram;
    for (const double ms : {0.0, 0.05, 1.0, 9.999, 10.0, 1e12})
        histogram.add(ms);
    const auto& counts = histogram.counts();
    EXPECT_EQ(counts[0], 2U);
    EXPECT_EQ(counts[8], 1U);
    EXPECT_EQ(counts[15], 1U);
    EXPECT_EQ(counts[16], 1U);
    EXPECT_EQ(counts.back(), 1U);
    EXPECT_DOUBLE_EQ(LatencyHistogram::begin_of(16), 10.0);
}

TEST(Findings, AddUpRetriesAndTokensOfTheJudge) {
    Findings findings;
    job::TrialRecord record;
    findings.add(record);
    record.attempts = 3;
    record.evaluator_input_tokens = 10;
    findings.add(record);
    findings.add(record);
    EXPECT_EQ(findings.retried(), 2U);
    EXPECT_EQ(findings.judge_tokens(), 20);
    EXPECT_EQ(findings.trials(), 3U);
    EXPECT_TRUE(findings.examples().empty());
}

}  // namespace
}  // namespace evalfleet::report
