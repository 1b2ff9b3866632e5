#include "coordinator/runs/runs_metrics.hpp"

#include <gmock/gmock.h>

namespace evalfleet::runs {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const std::chrono::system_clock::time_point kNow{milliseconds(1'700'000'005'250)};

TEST(EntryAge, IsTheTimeSinceItsIdWasGiven) {
    EXPECT_EQ(age_of_entry("1700000005000-0", kNow), milliseconds(250));
    EXPECT_EQ(age_of_entry("1700000004250-17", kNow), milliseconds(1000));
}

TEST(EntryAge, IsNeverNegativeNorReadOutOfNonsense) {
    EXPECT_EQ(age_of_entry("1700000009000-0", kNow), milliseconds(0));
    EXPECT_EQ(age_of_entry("", kNow), milliseconds(0));
    EXPECT_EQ(age_of_entry("x", kNow), milliseconds(0));
}

TEST(RunsMetrics, CountATrialByOutcomeLabelAndReason) {
    metrics::Registry registry("test");
    RunsMetrics metrics(registry);
    Tally::Trial passed;
    passed.passed = true;
    metrics.count(passed);
    Tally::Trial wrong;
    wrong.failure_label = job::FailureLabel::incorrect_answer;
    metrics.count(wrong);
    Tally::Trial timed_out;
    timed_out.errored = true;
    timed_out.error_kind = job::CallError::timeout;
    timed_out.failure_label = job::FailureLabel::timeout_or_latency_exceeded;
    metrics.count(timed_out);
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr("trials_total{outcome=\"passed\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("trials_total{outcome=\"failed\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("trials_total{outcome=\"error\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("trial_failures_total{label=\"incorrect_answer\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("trial_failures_total{label=\"other\"} 0\n"));
    EXPECT_THAT(page, HasSubstr("trial_errors_total{kind=\"timeout\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("judge_errors_total{kind=\"parse_error\"} 0\n"));
}

TEST(RunsMetrics, CountWhatAuditsRepaired) {
    metrics::Registry registry("test");
    RunsMetrics metrics(registry);
    metrics.count(AuditFindings{3, 0, 1});
    metrics.count(AuditFindings{});
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr("audits_total 2\n"));
    EXPECT_THAT(page, HasSubstr("audit_repairs_total{kind=\"vanished\"} 3\n"));
    EXPECT_THAT(page, HasSubstr("audit_repairs_total{kind=\"resurrected\"} 0\n"));
    EXPECT_THAT(page, HasSubstr("audit_repairs_total{kind=\"orphaned\"} 1\n"));
}

}  // namespace
}  // namespace evalfleet::runs
