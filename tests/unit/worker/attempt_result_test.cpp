#include "worker/call/attempt_result.hpp"

#include "worker/providers/openai_chat.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using job::CallError;
using std::chrono::milliseconds;

AttemptTerms terms(int attempt = 1, double random = 0.5) {
    return {http::RetryPolicy({.max_attempts = 3}), attempt, random, {}};
}

AttemptResult judge_status(int status, const http::Headers& headers = {}, int attempt = 1) {
    WireResponse response;
    response.status = status;
    response.headers = headers;
    response.set_body(R"({"choices": [{"message": {"content": "x"}}]})");
    return classify_response(OpenAiChat(), response, terms(attempt));
}

AttemptResult judge_kind(ErrorKind kind, bool in_time = true) {
    return classify_error(Error{kind, "why"}, in_time, terms());
}

TEST(AttemptResult, IsSuccessFor2xx) {
    for (const int status : {200, 201, 204}) {
        const AttemptResult result = judge_status(status);
        EXPECT_FALSE(result.failure || result.retry_in) << status;
    }
}

TEST(AttemptResult, KeepsWhatWasCountedWhateverCameOfIt) {
    const auto judge = [](bool is_streamed, std::string_view body) {
        WireResponse response;
        response.status = 200;
        response.is_streamed = is_streamed;
        if (is_streamed) response.add_piece(body, {});
        if (!is_streamed) response.set_body(std::string(body));
        return classify_response(OpenAiChat(), response, terms());
    };
    const Usage counted{5, 1024, {}, {}, 1024};
    const std::string usage = R"("usage":{"prompt_tokens":5,"completion_tokens":1024,)"
                              R"("completion_tokens_details":{"reasoning_tokens":1024}})";
    const auto empty =
        judge(false,
              R"({"choices":[{"message":{"content":""},"finish_reason":"length"}],)" + usage + "}");
    EXPECT_EQ(empty.failure->kind, CallError::empty_response);
    EXPECT_EQ(empty.usage, counted);
    const auto refused = judge(false, R"({"error":{"message":"m","code":502},)" + usage + "}");
    EXPECT_EQ(refused.failure->kind, CallError::http_5xx);
    EXPECT_EQ(refused.usage, counted);
    const auto broken = judge(true, R"(data: {"choices":[],)" + usage + "}\n\n");
    EXPECT_EQ(broken.failure->kind, CallError::malformed_response);
    EXPECT_EQ(broken.usage, counted);
}

struct StatusCase {
    int status;
    CallError kind;
    bool retried;
};

TEST(AttemptResult, SortsStatuses) {
    for (const StatusCase& test : {StatusCase{301, CallError::malformed_response, false},
                                   {400, CallError::http_4xx, false},
                                   {401, CallError::http_4xx, false},
                                   {404, CallError::http_4xx, false},
                                   {408, CallError::http_4xx, true},
                                   {409, CallError::http_4xx, true},
                                   {422, CallError::http_4xx, false},
                                   {429, CallError::http_429, true},
                                   {500, CallError::http_5xx, true},
                                   {501, CallError::http_5xx, false},
                                   {503, CallError::http_5xx, true},
                                   {529, CallError::http_5xx, true}}) {
        const AttemptResult result = judge_status(test.status);
        ASSERT_TRUE(result.failure) << test.status;
        EXPECT_EQ(result.failure->kind, test.kind) << test.status;
        EXPECT_FALSE(result.failure->timed_out);
        EXPECT_EQ(result.retry_in.has_value(), test.retried) << test.status;
    }
}

struct ErrorCase {
    ErrorKind error;
    bool in_time;
    CallError kind;
    bool retried;
    bool timed_out;
};

TEST(AttemptResult, SortsErrors) {
    for (const ErrorCase& test :
         {ErrorCase{ErrorKind::transient, true, CallError::connect, true, false},
          {ErrorKind::timeout, false, CallError::timeout, true, true},
          {ErrorKind::timeout, true, CallError::connect, true, false},
          {ErrorKind::tls, true, CallError::tls, false, false},
          {ErrorKind::not_found, true, CallError::connect, false, false},
          {ErrorKind::denied, true, CallError::connect, false, false},
          {ErrorKind::invalid, true, CallError::malformed_response, false, false},
          {ErrorKind::too_large, true, CallError::malformed_response, false, false}}) {
        const AttemptResult result = judge_kind(test.error, test.in_time);
        ASSERT_TRUE(result.failure);
        EXPECT_EQ(result.failure->kind, test.kind) << to_string(test.error);
        EXPECT_EQ(result.failure->timed_out, test.timed_out) << to_string(test.error);
        EXPECT_EQ(result.retry_in.has_value(), test.retried) << to_string(test.error);
        EXPECT_EQ(result.failure->message, "why");
    }
}

TEST(AttemptResult, WaitsAsLongAsTheServerAsks) {
    EXPECT_EQ(judge_status(429, {{"Retry-After", "7"}}).retry_in, milliseconds(7000));
}

TEST(AttemptResult, EndsWithTheLastAttempt) {
    EXPECT_TRUE(judge_status(500, {}, 2).retry_in);
    EXPECT_FALSE(judge_status(500, {}, 3).retry_in);
}

TEST(AttemptResult, ObeysTheServersWord) {
    EXPECT_FALSE(judge_status(500, {{"x-should-retry", "false"}}).retry_in);
    EXPECT_TRUE(judge_status(400, {{"x-should-retry", "true"}}).retry_in);
}

TEST(AttemptResult, KeepsTheIdOfARefusedRequest) {
    EXPECT_EQ(judge_status(500, {{"x-request-id", "req_1"}}).request_id, "req_1");
}

TEST(AttemptResult, SaysThatTheTokensWereUsedUpWhileThinking) {
    const auto message = [](const std::string& choice, const std::string& usage) {
        WireResponse response;
        response.status = 200;
        response.set_body(R"({"choices":[{"message":{"content":""})" + choice + "}]" + usage + "}");
        return classify_response(OpenAiChat(), response, terms()).failure->message;
    };
    EXPECT_EQ(message(R"(,"finish_reason":"length")",
                      R"(,"usage":{"completion_tokens_details":{"reasoning_tokens":64}})"),
              "the answer has no text: max_tokens was reached while thinking (64 reasoning "
              "tokens); raise max_tokens");
    EXPECT_EQ(message(R"(,"finish_reason":"length")", ""),
              "the answer has no text: max_tokens was reached before the first text, probably "
              "while thinking; raise max_tokens");
    EXPECT_EQ(message(R"(,"finish_reason":"stop")", ""), "the answer has no text");
}

TEST(AttemptResult, CountsCredentialsThatAreRefusedAs401AndThoseThatAreLateAsNoConnection) {
    const AttemptResult refused =
        classify_auth_error({ErrorKind::denied, "no such client"}, terms());
    EXPECT_EQ(refused.failure->kind, CallError::http_4xx);
    EXPECT_EQ(refused.failure->message, "no credentials: no such client");
    EXPECT_EQ(refused.refused_status, 401);
    EXPECT_FALSE(refused.retry_in);
    const AttemptResult late = classify_auth_error({ErrorKind::transient, "down"}, terms());
    EXPECT_EQ(late.failure->kind, CallError::connect);
    EXPECT_TRUE(late.retry_in);
    EXPECT_TRUE(judge_status(401).refuses_credentials);
    EXPECT_FALSE(judge_status(403).refuses_credentials);
}

}  // namespace
}  // namespace evalfleet::worker
