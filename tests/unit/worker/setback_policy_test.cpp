#include "worker/trial/setback_policy.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using job::CallError;
using std::chrono::milliseconds;

CallOutcome failed(CallError kind, std::optional<std::int64_t> status = std::nullopt) {
    CallOutcome outcome;
    outcome.failure = CallFailure{kind, "why"};
    outcome.http_status = status;
    outcome.attempts = 3;
    return outcome;
}

TEST(SetbackPolicy, SeesInfrastructureInTheWay) {
    for (const CallOutcome& outcome :
         {failed(CallError::http_429, 429), failed(CallError::http_5xx, 503),
          failed(CallError::connect), failed(CallError::tls), failed(CallError::http_4xx, 401),
          failed(CallError::http_4xx, 403), failed(CallError::http_4xx, 404)}) {
        const auto setback = setback_of(outcome, job::CallRole::judge, "main");
        ASSERT_TRUE(setback) << outcome.http_status.value_or(0);
        EXPECT_EQ(*setback, (job::Setback{job::CallRole::judge, outcome.failure->kind,
                                          outcome.http_status, "main", "why", 3}));
    }
}

TEST(SetbackPolicy, LeavesTheModelItsOwnFailures) {
    EXPECT_FALSE(setback_of(CallOutcome(), job::CallRole::model, "main"));
    for (const CallOutcome& outcome :
         {failed(CallError::timeout), failed(CallError::http_4xx, 400),
          failed(CallError::http_4xx, 422), failed(CallError::malformed_response, 200)})
        EXPECT_FALSE(setback_of(outcome, job::CallRole::model, "main"))
            << to_string(outcome.failure->kind);
}

TEST(SetbackPolicy, TakesARepeatedRefusalForTheSamplesOwnWhileOthersAreAnswered) {
    const async::TimePoint first{std::chrono::hours(1)};
    const auto refused = [](std::int64_t status, std::optional<async::TimePoint> last_answer) {
        CallOutcome outcome = failed(CallError::http_4xx, status);
        outcome.last_answer = last_answer;
        return outcome;
    };
    const auto later = first + milliseconds(1);
    EXPECT_TRUE(is_of_sample(refused(403, later), 1, first));
    EXPECT_TRUE(is_of_sample(refused(404, later), 1, first));
    EXPECT_FALSE(is_of_sample(refused(403, later), 0, first)) << "once may be chance";
    EXPECT_FALSE(is_of_sample(refused(403, first), 1, first)) << "the key may be revoked since";
    EXPECT_FALSE(is_of_sample(refused(403, std::nullopt), 1, first)) << "nobody was answered";
    EXPECT_FALSE(is_of_sample(refused(401, later), 1, first)) << "a key is of no sample";
}

TEST(SetbackPolicy, EndsATrialWithoutAPermitAsItFailedMostOften) {
    const auto failure = failure_of({{"connect", 2}, {"http_4xx", 9}, {"http_5xx", 3}});
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, CallError::http_5xx)
        << "a 4xx without its status would be the model's";
    EXPECT_EQ(failure->message,
              "failed before (2 x connect, 3 x http_5xx), and got no permit for another attempt");
    EXPECT_FALSE(failure->timed_out);
    EXPECT_FALSE(failure_of({}));
    EXPECT_FALSE(failure_of({{"http_4xx", 1}}));
}

TEST(SetbackPolicy, WaitsTwiceAsLongEachTimeUpToTenSeconds) {
    const std::int64_t kLongest[] = {1'000, 2'000, 4'000, 8'000, 10'000, 10'000};
    for (std::int64_t count = 1; count <= 6; ++count) {
        const std::int64_t longest = kLongest[count - 1];
        EXPECT_EQ(setback_delay(count, std::nullopt, 0), milliseconds(longest / 2));
        EXPECT_EQ(setback_delay(count, std::nullopt, 0.5), milliseconds(longest * 3 / 4));
        EXPECT_LT(setback_delay(count, std::nullopt, 0.9999), milliseconds(longest));
    }
    EXPECT_EQ(setback_delay(1'000'000, std::nullopt, 0), milliseconds(5'000));
}

TEST(SetbackPolicy, WaitsAsLongAsTheProviderAsksForWithinReason) {
    EXPECT_EQ(setback_delay(1, milliseconds(7'000), 0.5), milliseconds(7'000));
    EXPECT_EQ(setback_delay(1, milliseconds(10), 0), milliseconds(500));
    EXPECT_EQ(setback_delay(1, std::chrono::hours(1), 0), milliseconds(60'000));
}

TEST(SetbackPolicy, CountsSetbacksOfAllKinds) {
    EXPECT_EQ(count_setbacks({}), 0);
    EXPECT_EQ(count_setbacks({{"connect", 2}, {"http_429", 3}}), 5);
}

}  // namespace
}  // namespace evalfleet::worker
