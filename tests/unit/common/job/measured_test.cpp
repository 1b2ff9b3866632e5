#include "common/job/measured.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace evalfleet::job {
namespace {

std::string reason_of(CallError kind, std::optional<std::int64_t> status = std::nullopt) {
    return unmeasured_reason({.error_kind = kind, .http_status = status}).value_or("measured");
}

TEST(Measured, TellsInfrastructureFromWhatTheModelDid) {
    EXPECT_EQ(reason_of(CallError::connect), "connect");
    EXPECT_EQ(reason_of(CallError::tls), "tls");
    EXPECT_EQ(reason_of(CallError::http_429, 429), "http_429");
    EXPECT_EQ(reason_of(CallError::http_5xx, 503), "http_5xx 503");
    EXPECT_EQ(reason_of(CallError::worker_lost), "worker_lost");
    EXPECT_EQ(reason_of(CallError::cancelled), "cancelled");
    for (const int status : {401, 402, 403, 404, 405, 407, 410})
        EXPECT_EQ(reason_of(CallError::http_4xx, status), "http_4xx " + std::to_string(status));
    for (const int status : {400, 408, 409, 413, 422})
        EXPECT_EQ(reason_of(CallError::http_4xx, status), "measured") << status;
    EXPECT_EQ(reason_of(CallError::http_4xx), "measured");
    for (const CallError kind :
         {CallError::timeout, CallError::empty_response, CallError::malformed_response})
        EXPECT_EQ(reason_of(kind), "measured") << to_string(kind);
}

TEST(Measured, IsNotATrialThatTimedOutOnTheWay) {
    EXPECT_FALSE(is_unmeasured({.timed_out = true, .error_kind = CallError::connect}));
}

TEST(Measured, IsNoAnswerThatNobodyScored) {
    const auto unscored = [](EvaluatorError error, std::optional<std::int64_t> status = {}) {
        return unmeasured_reason(
            {.is_answered = true, .evaluator_error = error, .evaluator_http_status = status});
    };
    EXPECT_EQ(unscored(EvaluatorError::parse_error, 200), "judge parse_error");
    EXPECT_EQ(unscored(EvaluatorError::call_error, 401), "judge call_error 401");
    EXPECT_EQ(unscored(EvaluatorError::call_error), "judge call_error");
    EXPECT_EQ(unscored(EvaluatorError::missing_label), "missing_label");
    EXPECT_EQ(unmeasured_reason({.is_answered = true}), std::nullopt);
}

TEST(Measured, IsToldInOneLine) {
    struct Case {
        Unmeasured about;
        std::string line;
    };
    const std::vector<Case> cases{
        {{Measured::complete, 30, {{"connect", 1}}, {}}, ""},
        {{Measured::not_measured, 30, {{"http_4xx 401", 30}}, "my-label"},
         "could not measure: 30 of 30 calls refused (401, key my-label)"},
        {{Measured::partial, 30, {{"http_4xx 404", 3}}, {}},
         "could not measure: 3 of 30 calls refused (404)"},
        {{Measured::partial, 30, {{"connect", 2}, {"http_5xx 503", 9}}, "my-label"},
         "could not measure: 9 of 30 calls failed at the provider (503); 2 of 30 calls failed (no "
         "connection)"},
        {{Measured::not_measured, 9, {{"judge call_error 401", 9}}, {}},
         "could not measure: 9 of 9 answers not scored (the judge could not be asked, 401)"},
        {{Measured::partial, 9, {{"a", 4}, {"http_429", 3}, {"tls", 2}, {"worker_lost", 1}}, {}},
         "could not measure: 4 of 9: a; 3 of 9 calls throttled (429); 2 of 9 calls failed (no TLS "
         "connection); 1 for other reasons"},
        {{Measured::not_measured, 7, {}, {}},
         "could not measure: none of 7 trials has an answer and a score"}};
    for (const Case& one : cases)
        EXPECT_EQ(describe(one.about), one.line);
}

}  // namespace
}  // namespace evalfleet::job
