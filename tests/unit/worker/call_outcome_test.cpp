#include "worker/call/call_outcome.hpp"

#include "worker/providers/openai_chat.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

RawCall answered(std::string body) {
    RawCall raw;
    raw.response.emplace();
    raw.response->status = 200;
    raw.response->body = std::move(body);
    raw.attempts = 2;
    raw.latency_ms = 12.345;
    return raw;
}

TEST(CallOutcome, HasTheReplyOfAGoodResponse) {
    const CallOutcome outcome = interpret(
        OpenAiChat(), answered(R"({"id": "i", "choices": [{"message": {"content": "x"}}]})"));
    ASSERT_TRUE(outcome.reply);
    EXPECT_FALSE(outcome.failure);
    EXPECT_EQ(outcome.reply->answer, "x");
    EXPECT_EQ(outcome.request_id, "i");
    EXPECT_EQ(outcome.attempts, 2);
    EXPECT_EQ(outcome.http_status, 200);
    EXPECT_EQ(outcome.latency_ms, 12.345);
}

TEST(CallOutcome, IsMalformedIfTheBodyMakesNoSense) {
    const CallOutcome outcome = interpret(OpenAiChat(), answered("<html>"));
    EXPECT_FALSE(outcome.reply);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, job::CallError::malformed_response);
}

TEST(CallOutcome, IsEmptyIfTheAnswerHasNoText) {
    const CallOutcome outcome =
        interpret(OpenAiChat(), answered(R"({"choices": [{"message": {"content": ""}}]})"));
    EXPECT_TRUE(outcome.reply);
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, job::CallError::empty_response);
    EXPECT_FALSE(outcome.failure->timed_out);
}

TEST(CallOutcome, KeepsTheFailureOfACallWithoutAGoodResponse) {
    RawCall raw = answered("");
    raw.response->status = 500;
    raw.failure = {job::CallError::http_5xx, "HTTP 500", false};
    const CallOutcome outcome = interpret(OpenAiChat(), raw);
    EXPECT_FALSE(outcome.reply);
    EXPECT_EQ(outcome.failure->kind, job::CallError::http_5xx);
    EXPECT_EQ(outcome.http_status, 500);
}

TEST(CallOutcome, RoundsToThreeDecimals) {
    EXPECT_EQ(round_ms(std::chrono::nanoseconds(1'234'567)), 1.235);
    EXPECT_EQ(round_ms(std::chrono::nanoseconds(400)), 0.0);
}

}  // namespace
}  // namespace evalfleet::worker
