#include "coordinator/runs/failure_streak.hpp"

#include "common/job/lost_reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr async::TimePoint kStart{};

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
        streak.observe(trial, kStart);
}

TEST(FailureStreak, IsTooLongAtItsLimitAndSaysWhy) {
    FailureStreak streak(5);
    observe(streak, refused(401), 4);
    EXPECT_FALSE(streak.reason());
    streak.observe(refused(401), kStart);
    ASSERT_TRUE(streak.reason());
    EXPECT_THAT(*streak.reason(),
                AllOf(HasSubstr("HTTP 401"), HasSubstr("no such key"), HasSubstr("the model")));
}

TEST(FailureStreak, BeginsAnewAfterASuccess) {
    FailureStreak streak(5);
    observe(streak, refused(404), 4);
    streak.observe(answered(), kStart);
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
    observe(streak, refused(400), 50);  // a matter of the sample, since others got on
    EXPECT_FALSE(streak.reason());
    observe(streak, refused(403), 3);
    streak.observe(overload, kStart);
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
          failed(CallError::http_4xx, 409, "HTTP 409: try again (CONFLICT)"),
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
    EXPECT_FALSE(streak.reason());
    observe(streak, unscored(401), 2);
    observe(streak, refused(401), 2);
    EXPECT_FALSE(streak.reason());
    streak.observe(unscored(401), kStart);
    ASSERT_TRUE(streak.reason());
    EXPECT_THAT(*streak.reason(), HasSubstr("the judge"));
}

TEST(FailureStreak, IsForgottenOnResumeAndCanBeSwitchedOff) {
    FailureStreak streak(2);
    observe(streak, refused(401), 2);
    streak.reset();
    EXPECT_FALSE(streak.reason());
    streak.observe(refused(401), kStart);
    EXPECT_FALSE(streak.reason());
    FailureStreak never(0);
    observe(never, refused(401), 100);
    EXPECT_FALSE(never.reason());
}

TEST(FailureStreak, CountsRefusalsOfTheRequestIfAllTrialsGotTheSame) {
    for (const std::int64_t status : {400, 413, 422}) {
        FailureStreak streak(3);
        observe(streak, refused(status), 2);
        EXPECT_FALSE(streak.reason());
        streak.observe(refused(status), kStart);
        EXPECT_THAT(
            streak.reason().value_or(""),
            HasSubstr("could not measure: all 3 calls to the model were refused with HTTP " +
                      std::to_string(status)));
    }
}

TEST(FailureStreak, CountsRepliesThatCannotBeReadIfAllTrialsGotOne) {
    const auto redirected =
        failed(job::CallError::malformed_response, 308, "HTTP 308: a redirect is not followed");
    FailureStreak streak(3);
    observe(streak, redirected, 2);
    EXPECT_FALSE(streak.reason());
    streak.observe(redirected, kStart);
    EXPECT_THAT(
        streak.reason().value_or(""),
        HasSubstr("all 3 calls to the model failed (HTTP 308: a redirect is not followed)"));
    FailureStreak sometimes(3);
    sometimes.observe(answered(), kStart);
    observe(sometimes, redirected, 50);
    EXPECT_FALSE(sometimes.reason()) << "it may be the model's way of answering";
}

TEST(FailureStreak, CountsRefusalsOfTheJudgeIfAllAnswersGotTheSame) {
    FailureStreak streak(3, {"", "provider 'judges'"});
    observe(streak, unscored(400), 2);
    EXPECT_FALSE(streak.reason());
    streak.observe(unscored(400), kStart);
    EXPECT_THAT(
        streak.reason().value_or(""),
        HasSubstr("all 3 calls to the judge (provider 'judges') were refused with HTTP 400"));
    for (const Tally::Trial& other : {answered(), unscored(422), unscored(503)}) {
        FailureStreak sometimes(3);
        sometimes.observe(other, kStart);
        observe(sometimes, unscored(400), 50);
        EXPECT_FALSE(sometimes.reason()) << "a matter of the sample";
    }
}

TEST(FailureStreak, DoesNotCountATrialAgainThatWasPutBackForItsRefusal) {
    Tally::Trial again = refused(403);
    again.was_refused_before = true;
    Tally::Trial unscored_again = unscored(403);
    unscored_again.was_refused_before = true;
    FailureStreak streak(3);
    streak.observe(answered(), kStart);
    observe(streak, again, 50);
    observe(streak, unscored_again, 50);
    EXPECT_FALSE(streak.reason());
}

TEST(FailureStreak, SpeaksOfOneCallInTheSingular) {
    FailureStreak streak(1);
    streak.observe(refused(404), kStart);
    EXPECT_THAT(streak.reason().value_or(""),
                HasSubstr("1 call to the model was refused with HTTP 404"));
}

TEST(FailureStreak, TakesARefusalAmongOtherEndsForAMatterOfTheSample) {
    FailureStreak after_success(3);
    after_success.observe(answered(), kStart);
    observe(after_success, refused(400), 50);
    EXPECT_FALSE(after_success.reason());
    FailureStreak two_kinds(3);
    observe(two_kinds, refused(400), 2);
    observe(two_kinds, refused(422), 50);
    EXPECT_FALSE(two_kinds.reason());
    FailureStreak in_between(3);
    observe(in_between, refused(401), 2);
    in_between.observe(refused(400), kStart);
    EXPECT_FALSE(in_between.reason()) << "it does not count";
    in_between.observe(refused(401), kStart);
    EXPECT_TRUE(in_between.reason()) << "and does not reset";
}

Tally::Trial unreadable() {
    Tally::Trial trial = answered();
    trial.evaluator_error = job::EvaluatorError::parse_error;
    trial.evaluator_http_status = 200;
    trial.error_message = "not one JSON object";
    return trial;
}

TEST(FailureStreak, CountsUnreadableRepliesOfTheJudgeIfAllAnswersGotOne) {
    FailureStreak streak(3, {"", "provider 'judges'"});
    observe(streak, unreadable(), 2);
    streak.observe(refused(400), kStart);
    EXPECT_FALSE(streak.reason());
    streak.observe(unreadable(), kStart);
    EXPECT_THAT(streak.reason().value_or(""),
                HasSubstr("all 3 answers got replies of the judge (provider 'judges') that cannot "
                          "be read (not one JSON object)"));
    FailureStreak sometimes(3);
    sometimes.observe(answered(), kStart);
    observe(sometimes, unreadable(), 50);
    EXPECT_FALSE(sometimes.reason());
}

TEST(FailureStreak, CountsAJudgeThatCouldNeverBeReached) {
    FailureStreak streak(3);
    observe(streak, unscored(std::nullopt), 2);
    EXPECT_FALSE(streak.reason());
    streak.observe(unscored(std::nullopt), kStart);
    EXPECT_THAT(streak.reason().value_or(""), HasSubstr("3 calls in a row to the judge failed"));
}

TEST(FailureStreak, LooksPastAJudgeThatCannotBeReachedForTheMoment) {
    FailureStreak streak(3);
    observe(streak, unscored(std::nullopt), 2);
    streak.observe(answered(), kStart);
    observe(streak, unscored(std::nullopt), 50);
    EXPECT_FALSE(streak.reason()) << "it gave a verdict once";
    observe(streak, unscored(401), 3);
    EXPECT_TRUE(streak.reason()) << "but a refused key is no matter of the moment";
}

using Setback = FailureStreak::Setback;
using std::chrono::minutes;
using std::chrono::seconds;

void set_back(FailureStreak& streak, const Setback& setback, int times,
              async::Duration since = {}) {
    for (int i = 0; i < times; ++i)
        streak.observe_setback(setback, async::TimePoint(since));
}

TEST(FailureStreak, CountsFatalSetbacksAsItCountsRecords) {
    for (const Setback& setback :
         {Setback{Setback::Role::model, job::CallError::http_4xx, 401, "no such key"},
          Setback{Setback::Role::judge, job::CallError::http_4xx, 404, "no such model"},
          Setback{Setback::Role::model, job::CallError::tls, {}, "certificate has expired"},
          Setback{Setback::Role::judge, job::CallError::http_429, 429, "(insufficient_quota)"}}) {
        FailureStreak streak(3);
        set_back(streak, setback, 2);
        EXPECT_FALSE(streak.reason());
        set_back(streak, setback, 1);
        EXPECT_THAT(streak.reason().value_or(""), HasSubstr(setback.message));
    }
    FailureStreak both(3);
    set_back(both, {Setback::Role::model, job::CallError::http_4xx, 401, ""}, 2);
    both.observe(refused(401), kStart);
    EXPECT_TRUE(both.reason());
}

TEST(FailureStreak, GivesUpOnAnOutageOnlyIfItLastsAndNothingEverSucceeded) {
    for (const Setback& outage :
         {Setback{Setback::Role::model, job::CallError::http_5xx, 503, "HTTP 503: busy"},
          Setback{Setback::Role::model, job::CallError::http_5xx, 529, "HTTP 529: overloaded"},
          Setback{Setback::Role::model, job::CallError::http_5xx, 500, "HTTP 500: oops"},
          Setback{Setback::Role::model, job::CallError::connect, {}, "connection refused"},
          Setback{Setback::Role::judge, job::CallError::http_5xx, 503, "HTTP 503: busy"}}) {
        FailureStreak streak(20);
        set_back(streak, outage, 100);
        set_back(streak, outage, 100, seconds(14));
        EXPECT_FALSE(streak.reason()) << "a server may be starting: " << outage.message;
        set_back(streak, outage, 1, seconds(15));
        EXPECT_THAT(
            streak.reason().value_or(""),
            AllOf(HasSubstr("could not measure: 201 calls to the "), HasSubstr(outage.message),
                  HasSubstr("none succeeded"), HasSubstr("mend it, then resume the run")));

        FailureStreak resumed(20);
        set_back(resumed, outage, 100);
        resumed.reset();
        set_back(resumed, outage, 100, minutes(3));
        EXPECT_FALSE(resumed.reason()) << "time counts from the resumption";
    }
}

TEST(FailureStreak, NeedsFewerFailuresOfAProviderThatIsCalledEverMoreRarely) {
    const Setback outage{Setback::Role::model, job::CallError::http_5xx, 503, "HTTP 503: busy"};
    FailureStreak few(20);
    set_back(few, outage, 3);
    set_back(few, outage, 1, seconds(24));
    EXPECT_FALSE(few.reason());
    set_back(few, outage, 1, seconds(25));
    EXPECT_TRUE(few.reason());

    FailureStreak fewer(20);
    set_back(fewer, outage, 2);
    set_back(fewer, outage, 1, minutes(10));
    EXPECT_FALSE(fewer.reason()) << "three may be chance";
}

TEST(FailureStreak, IsAsPatientWithAProviderThatHasWorkedAsTheRunIsWithATrial) {
    const Setback outage{Setback::Role::model, job::CallError::http_5xx, 503, "HTTP 503: busy"};
    FailureStreak streak(5, {}, minutes(30));
    streak.observe(answered(), kStart);
    set_back(streak, outage, 100);
    set_back(streak, outage, 100, minutes(29));
    EXPECT_FALSE(streak.reason()) << "it worked once, so it may work again";
    set_back(streak, outage, 1, minutes(30));
    EXPECT_THAT(streak.reason().value_or(""), HasSubstr("none succeeded in the last 30 minutes"));

    FailureStreak flaky(5, {}, minutes(30));
    flaky.observe(answered(), kStart);
    set_back(flaky, outage, 100);
    flaky.observe(answered(), kStart);
    set_back(flaky, outage, 100, minutes(31));
    EXPECT_FALSE(flaky.reason()) << "time counts from the first failure after a success";

    FailureStreak hasty(5, {}, seconds(3));
    hasty.observe(answered(), kStart);
    set_back(hasty, outage, 100);
    set_back(hasty, outage, 100, minutes(4));
    EXPECT_FALSE(hasty.reason()) << "its trials are recorded, and the run goes on";
    set_back(hasty, outage, 1, minutes(5));
    EXPECT_TRUE(hasty.reason());
}

TEST(FailureStreak, GivesUpSoonerOnAProviderThatIsNotThereThanOnOneThatThrottles) {
    const Setback refused{Setback::Role::model, job::CallError::connect, {}, "connection refused"};
    const Setback busy{Setback::Role::model, job::CallError::http_429, 429, "slow down"};
    FailureStreak absent(20);
    set_back(absent, refused, 19);
    set_back(absent, refused, 1, seconds(14));
    EXPECT_EQ(absent.reason(), std::nullopt);
    set_back(absent, refused, 1, seconds(15));
    EXPECT_THAT(absent.reason(), Optional(HasSubstr("21 calls to the model failed")));

    FailureStreak throttled(20);
    set_back(throttled, busy, 1);
    set_back(throttled, refused, 100, seconds(74));
    EXPECT_EQ(throttled.reason(), std::nullopt) << "a limit a minute may be in the way";
    set_back(throttled, busy, 1, seconds(75));
    EXPECT_TRUE(throttled.reason());
}

TEST(FailureStreak, CountsTrialsThatWereGivenUpAsItCountsThosePutBack) {
    Tally::Trial given_up = failed(job::CallError::http_5xx, 503, "HTTP 503: busy");
    given_up.attempts = 5;
    FailureStreak streak(20);
    for (int i = 0; i < 3; ++i)
        streak.observe(given_up, kStart);
    streak.observe(given_up, kStart + minutes(3));
    EXPECT_THAT(streak.reason().value_or(""),
                HasSubstr("20 calls to the model failed (HTTP 503: busy), and none succeeded"));
}

TEST(FailureStreak, CountsAttempts) {
    const Setback outage{Setback::Role::model, job::CallError::http_5xx, 503, "HTTP 503", 5};
    FailureStreak streak(20);
    set_back(streak, outage, 3);
    set_back(streak, outage, 1, minutes(3));
    EXPECT_THAT(streak.reason().value_or(""), HasSubstr("20 calls to the model failed"));
}

TEST(FailureStreak, GivesUpOnASmallRunAfterFewerSetbacks) {
    const Setback absent{Setback::Role::model, job::CallError::connect, {}, "no such host"};
    FailureStreak single(1);
    set_back(single, absent, 3);
    EXPECT_FALSE(single.reason());
    set_back(single, absent, 1, seconds(20));
    EXPECT_THAT(single.reason().value_or(""), HasSubstr("4 calls to the model failed"));
}

TEST(FailureStreak, TakesASetbackOfTheJudgeForASuccessOfTheModel) {
    const Setback model{Setback::Role::model, job::CallError::connect, {}, "no route"};
    const Setback judge{Setback::Role::judge, job::CallError::connect, {}, "no route"};
    FailureStreak streak(5);
    set_back(streak, judge, 1);
    set_back(streak, model, 100);
    set_back(streak, model, 1, minutes(5));
    EXPECT_FALSE(streak.reason());
    set_back(streak, judge, 19, minutes(6));
    EXPECT_THAT(streak.reason().value_or(""), HasSubstr("calls to the judge failed (no route)"));
}

TEST(FailureStreak, MayBeginAnewWithALowerLimit) {
    FailureStreak streak(20);
    streak.reset(2);
    observe(streak, refused(401), 2);
    EXPECT_TRUE(streak.reason());
}

}  // namespace
}  // namespace evalfleet::runs
