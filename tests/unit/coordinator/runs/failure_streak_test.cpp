#include "coordinator/runs/failure_streak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tally::Trial refused(std::int64_t status) {
    Tally::Trial trial;
    trial.error_kind = job::CallError::http_4xx;
    trial.http_status = status;
    trial.error_message = "no such key";
    return trial;
}

Tally::Trial answered() {
    Tally::Trial trial;
    trial.is_answered = true;
    return trial;
}

Tally::Trial unscored(std::optional<std::int64_t> status) {
    Tally::Trial trial = answered();
    trial.evaluator_error = job::EvaluatorError::call_error;
    trial.evaluator_http_status = status;
    return trial;
}

void observe(FailureStreak& streak, const Tally::Trial& trial, int times) {
    for (int i = 0; i < times; ++i)
        streak.observe(trial);
}

TEST(FailureStreak, IsTooLongAtItsLimitAndSaysWhy) {
    FailureStreak streak(5);
    observe(streak, refused(401), 4);
    EXPECT_FALSE(streak.reason());
    streak.observe(refused(401));
    ASSERT_TRUE(streak.reason());
    EXPECT_THAT(*streak.reason(),
                AllOf(HasSubstr("HTTP 401"), HasSubstr("no such key"), HasSubstr("the model")));
}

TEST(FailureStreak, BeginsAnewAfterASuccess) {
    FailureStreak streak(5);
    observe(streak, refused(404), 4);
    streak.observe(answered());
    observe(streak, refused(404), 4);
    EXPECT_FALSE(streak.reason());
}

TEST(FailureStreak, LooksPastWhatMayMendItself) {
    FailureStreak streak(5);
    Tally::Trial overload;
    overload.error_kind = job::CallError::http_5xx;
    overload.http_status = 503;
    observe(streak, overload, 50);
    observe(streak, refused(429), 50);
    observe(streak, refused(400), 50);  // may be a matter of the sample
    EXPECT_FALSE(streak.reason());
    observe(streak, refused(403), 3);
    streak.observe(overload);
    observe(streak, refused(403), 2);
    EXPECT_TRUE(streak.reason());
}

TEST(FailureStreak, CountsTheJudgeByItself) {
    FailureStreak streak(3);
    observe(streak, unscored(503), 10);
    observe(streak, unscored(std::nullopt), 10);
    EXPECT_FALSE(streak.reason());
    observe(streak, unscored(401), 2);
    observe(streak, refused(401), 2);
    EXPECT_FALSE(streak.reason());
    streak.observe(unscored(401));
    ASSERT_TRUE(streak.reason());
    EXPECT_THAT(*streak.reason(), HasSubstr("the judge"));
}

TEST(FailureStreak, IsForgottenOnResumeAndCanBeSwitchedOff) {
    FailureStreak streak(2);
    observe(streak, refused(401), 2);
    streak.reset();
    EXPECT_FALSE(streak.reason());
    streak.observe(refused(401));
    EXPECT_FALSE(streak.reason());
    FailureStreak never(0);
    observe(never, refused(401), 100);
    EXPECT_FALSE(never.reason());
}

}  // namespace
}  // namespace evalfleet::runs
