#include "coordinator/runs/failure_streak.hpp"

#include "common/job/lost_reasons.hpp"

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

Tally::Trial failed(job::CallError kind, std::optional<std::int64_t> status, std::string message) {
    Tally::Trial trial;
    trial.error_kind = kind;
    trial.http_status = status;
    trial.error_message = std::move(message);
    return trial;
}

TEST(FailureStreak, CountsWhateverWillNotGetBetter) {
    using job::CallError;
    for (const Tally::Trial& trial :
         {failed(CallError::http_429, 429, "HTTP 429: no money (insufficient_quota)"),
          failed(CallError::http_429, 429, "HTTP 429: quota (RESOURCE_EXHAUSTED) (daily quota)"),
          failed(CallError::http_429, 200,
                 "an error under a good status: no money (credit_balance_exhausted)"),
          failed(CallError::http_4xx, 400,
                 "HTTP 400: API key not valid. (INVALID_ARGUMENT) (API_KEY_INVALID)"),
          failed(CallError::tls, {}, "TLS handshake with host: certificate has expired"),
          failed(CallError::worker_lost, {},
                 std::string(job::kRunRefused) + "this worker has no provider 'main'")}) {
        FailureStreak streak(3);
        observe(streak, trial, 3);
        ASSERT_TRUE(streak.reason()) << trial.error_message;
        EXPECT_THAT(*streak.reason(), HasSubstr(trial.error_message));
    }
}

TEST(FailureStreak, LooksPastLimitsAndLossesThatAreNotTheRuns) {
    using job::CallError;
    for (const Tally::Trial& trial :
         {failed(CallError::http_429, 429, "HTTP 429: slow down (rate_limit_exceeded)"),
          failed(CallError::http_4xx, 400, "HTTP 400: the prompt is too long (INVALID_ARGUMENT)"),
          failed(CallError::connect, {}, "connection refused"),
          failed(CallError::worker_lost, {}, "the lease ran out")}) {
        FailureStreak streak(3);
        observe(streak, trial, 30);
        EXPECT_FALSE(streak.reason()) << trial.error_message;
    }
}

TEST(FailureStreak, NamesTheProviderAndTheKeyByItsLabel) {
    FailureStreak streak(2, {"provider 'main', key openai-prod", "provider 'judges'"});
    observe(streak, refused(401), 2);
    EXPECT_THAT(streak.reason().value_or(""),
                HasSubstr("2 calls in a row to the model (provider 'main', key openai-prod) were "
                          "refused with HTTP 401"));
    streak.reset();
    observe(streak, unscored(401), 2);
    EXPECT_THAT(streak.reason().value_or(""), HasSubstr("the judge (provider 'judges')"));
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
