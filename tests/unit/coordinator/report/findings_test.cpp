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

TEST(Findings, AddUpCostsAndErrors) {
    Findings findings;
    EXPECT_FALSE(findings.cost_usd());
    job::TrialRecord record;
    findings.add(record);
    EXPECT_FALSE(findings.cost_usd());
    record.cost_usd = 0.5;
    record.attempts = 3;
    record.error_kind = job::CallError::http_429;
    record.evaluator_error = job::EvaluatorError::parse_error;
    record.evaluator_input_tokens = 10;
    findings.add(record);
    findings.add(record);
    EXPECT_EQ(findings.cost_usd(), 1.0);
    EXPECT_EQ(findings.retried(), 2U);
    EXPECT_EQ(findings.judge_tokens(), 20);
    EXPECT_EQ(findings.call_errors().at(job::CallError::http_429), 2U);
    EXPECT_EQ(findings.evaluator_errors().at(job::EvaluatorError::parse_error), 2U);
    EXPECT_EQ(findings.trials(), 3U);
    EXPECT_TRUE(findings.examples().empty());
}

}  // namespace
}  // namespace evalfleet::report
