#include "cli/commands/doctor_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;

job::TrialRecord answered() {
    job::TrialRecord record;
    record.answer = "OK";
    record.latency_e2e_ms = 41.6;
    record.evaluator_error = job::EvaluatorError::parse_error;
    return record;
}

TEST(DoctorCall, TakesWhatTheJudgeSaysForAnAnswerEvenIfItIsNoVerdict) {
    const auto findings = findings_of_call(answered(), "main/m@1", "main/j@1");
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].what, "call main/m@1");
    EXPECT_EQ(findings[0].found, "answers one token in 42 ms");
    EXPECT_EQ(findings[1].what, "call main/j@1 as judge");
    EXPECT_FALSE(doctor::has_failure(findings));
}

TEST(DoctorCall, SaysWhyAModelOrAJudgeDoesNotAnswer) {
    job::TrialRecord refused;
    refused.error_kind = job::CallError::http_4xx;
    refused.error_message = "401: wrong key";
    const auto model = findings_of_call(refused, "main/m@1", "main/j@1");
    ASSERT_EQ(model.size(), 1U) << "nobody asked the judge";
    EXPECT_EQ(model[0].level, doctor::Level::fail);
    EXPECT_THAT(model[0].found, HasSubstr("401: wrong key"));
    job::TrialRecord unjudged = answered();
    unjudged.evaluator_error = job::EvaluatorError::call_error;
    unjudged.evaluator_error_message = "no such model";
    const auto judge = findings_of_call(unjudged, "main/m@1", "main/j@1");
    EXPECT_EQ(judge.at(1).level, doctor::Level::fail);
    EXPECT_EQ(judge.at(1).found, "no such model");
}

TEST(DoctorCall, TakesAnEmptyAnswerOfAModelThatThinksForAnAnswer) {
    job::TrialRecord empty;
    empty.error_kind = job::CallError::empty_response;
    EXPECT_FALSE(doctor::has_failure(findings_of_call(empty, "main/m@1", "main/j@1")));
}

TEST(DoctorCall, AsksOnceWithOneTokenAndNothingElse) {
    job::RunSpec spec;
    spec.models = {{"main", "m", "1"}, {"main", "n", "1"}};
    spec.judge.emplace().model = {"main", "j", "1"};
    spec.repeats = 5;
    spec.baseline = "main";
    const job::RunSpec call = make_call_spec(spec);
    EXPECT_EQ(call.models, spec.models);
    EXPECT_EQ(call.generation.max_tokens, 1);
    EXPECT_EQ(call.judge, spec.judge) << "a verdict takes more than a token";
    EXPECT_EQ(call.repeats, 1);
    EXPECT_EQ(call.limits.max_attempts, 1);
    EXPECT_EQ(call.limits.give_up_after.count(), 0);
    EXPECT_FALSE(call.baseline);
}

}  // namespace
}  // namespace evalfleet::cli
