#include "cli/simulator/protocols/gemini.hpp"

#include "tests/unit/cli/simulator/protocol_fixture.hpp"

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

http::RequestContext call(const char* name, const char* query = "") {
    http::RequestContext request;
    request.parameters = {{"call", name}};
    request.query = http::Query::parse(query).value();
    return request;
}

constexpr const char* kBody =
    R"({"systemInstruction":{"parts":[{"text":"Brief."}]},)"
    R"("contents":[{"role":"user","parts":[{"text":"Why"},{"text":"?"}]}],)"
    R"("generationConfig":{"maxOutputTokens":9}})";

TEST(Gemini, ReadsARequest) {
    const ChatRequest chat = read_request(Gemini(), kBody, call("gem-1:generateContent")).value();
    EXPECT_EQ(chat.model, "gem-1");
    EXPECT_EQ(chat.prompt, "Why?");
    EXPECT_EQ(chat.input_bytes, 10U);
    EXPECT_EQ(chat.max_tokens, 9);
    EXPECT_FALSE(chat.stream);
}

TEST(Gemini, StreamsWhatThePathAsksFor) {
    const auto read = [](const char* name, const char* query) {
        return read_request(Gemini(), kBody, call(name, query)).value();
    };
    EXPECT_TRUE(read("g:streamGenerateContent", "alt=sse").stream);
    EXPECT_FALSE(read("g:streamGenerateContent", "alt=sse").wants_array);
    EXPECT_TRUE(read("g:streamGenerateContent", "").wants_array);
    EXPECT_EQ(read_request(Gemini(), kBody, call("g:countTokens")).error().kind,
              ErrorKind::not_found);
    EXPECT_FALSE(read_request(Gemini(), R"({"contents":[]})", call("g:generateContent")));
}

TEST(Gemini, WritesAReply) {
    const Json reply(Gemini().write(answer_of("It is."), 1ms));
    EXPECT_EQ(reply.at("candidates"), "[1]");
    EXPECT_EQ(reply.at("candidates.0.content.parts.0.text"), "It is.");
    EXPECT_EQ(reply.at("candidates.0.content.role"), "model");
    EXPECT_EQ(reply.at("candidates.0.finishReason"), "STOP");
    EXPECT_EQ(reply.at("candidates.0.index"), "0");
    EXPECT_EQ(reply.at("usageMetadata.promptTokenCount"), "20");
    EXPECT_EQ(reply.at("usageMetadata.candidatesTokenCount"), "4");
    EXPECT_EQ(reply.at("usageMetadata.thoughtsTokenCount"), "3");
    EXPECT_EQ(reply.at("usageMetadata.totalTokenCount"), "27");
    EXPECT_EQ(reply.at("usageMetadata.cachedContentTokenCount"), "8");
    EXPECT_EQ(reply.at("usageMetadata.promptTokensDetails.0.modality"), "TEXT");
    EXPECT_EQ(reply.at("modelVersion"), "simulated/m-1");
    EXPECT_EQ(reply.at("responseId"), "sim0000000000000abc");
    EXPECT_EQ(reply.at("promptFeedback"), "(none)");
}

TEST(Gemini, WithholdsWhatIsFiltered) {
    Completion completion = answer_of("");
    completion.finish_reason = "prompt_blocked";
    const Json blocked(Gemini().write(completion, 1ms));
    EXPECT_EQ(blocked.at("candidates"), "(none)");
    EXPECT_EQ(blocked.at("promptFeedback.blockReason"), "PROHIBITED_CONTENT");
    EXPECT_EQ(blocked.at("usageMetadata.candidatesTokenCount"), "(none)");
    completion.finish_reason = "content_filter";
    const Json filtered(Gemini().write(completion, 1ms));
    EXPECT_EQ(filtered.at("candidates.0.finishReason"), "SAFETY");
    EXPECT_EQ(filtered.at("candidates.0.content"), "(none)");
    completion.finish_reason = "length";
    EXPECT_EQ(Json(Gemini().write(completion, 1ms)).at("candidates.0.finishReason"), "MAX_TOKENS");
}

TEST(Gemini, StreamsEventsWithoutAMarkAtTheEnd) {
    const auto events = events_of(stream_of(Gemini(), answer_of("It is.")), "\r\n");
    ASSERT_EQ(events.size(), 3U);
    const Json first(events[0].substr(1));
    EXPECT_EQ(first.at("candidates.0.content.parts.0.text"), "It");
    EXPECT_EQ(first.at("candidates.0.finishReason"), "(none)");
    EXPECT_EQ(first.at("usageMetadata.promptTokenCount"), "20");
    EXPECT_EQ(first.at("modelVersion"), "simulated/m-1");
    const Json last(events[2].substr(1));
    EXPECT_EQ(last.at("candidates.0.finishReason"), "STOP");
    EXPECT_EQ(last.at("usageMetadata.totalTokenCount"), "27");
}

TEST(Gemini, StreamsOneArrayUnlessEventsAreAskedFor) {
    Completion completion = answer_of("It is.");
    completion.wants_array = true;
    const Json whole(stream_of(Gemini(), completion));
    EXPECT_EQ(whole.at(""), "[3]");
    EXPECT_EQ(whole.at("1.candidates.0.content.parts.0.text"), " is.");
    EXPECT_EQ(whole.at("2.candidates.0.finishReason"), "STOP");
    const Gemini gemini;
    const auto stream = gemini.write_stream(completion);
    const Json failed(stream->fail(failure_of(503)));
    EXPECT_EQ(failed.at("0.error.status"), "UNAVAILABLE");
}

TEST(Gemini, TellsErrorsInItsShape) {
    Failure limited = failure_of(429, FailureKind::tokens_limit);
    limited.retry_after = std::chrono::seconds(36);
    const Json error(Gemini().write_error(limited));
    EXPECT_EQ(error.at("error.code"), "429");
    EXPECT_EQ(error.at("error.status"), "RESOURCE_EXHAUSTED");
    EXPECT_EQ(error.at("error.details.0.@type"), "type.googleapis.com/google.rpc.QuotaFailure");
    EXPECT_EQ(error.at("error.details.0.violations.0.quotaId"),
              "GenerateContentInputTokensPerModelPerMinute");
    EXPECT_EQ(error.at("error.details.1.@type"), "type.googleapis.com/google.rpc.RetryInfo");
    EXPECT_EQ(error.at("error.details.1.retryDelay"), "36s");
    limited.retry_after = std::chrono::milliseconds(500);
    EXPECT_EQ(Json(Gemini().write_error(limited)).at("error.details.1.retryDelay"), "0.5s");
    limited.retry_after.reset();
    EXPECT_EQ(Json(Gemini().write_error(limited)).at("error.message"),
              "You exceeded your current quota.");
    const Json key(Gemini().write_error(failure_of(400, FailureKind::bad_key)));
    EXPECT_EQ(key.at("error.status"), "INVALID_ARGUMENT");
    EXPECT_EQ(key.at("error.details.0.reason"), "API_KEY_INVALID");
    EXPECT_EQ(Gemini().status_of(FailureKind::bad_key), 400);
}

TEST(Gemini, FindsTheKey) {
    EXPECT_EQ(Gemini().key(call("g:generateContent", "key=k-1")), "k-1");
    http::RequestContext request;
    request.headers.add("x-goog-api-key", "k-2");
    EXPECT_EQ(Gemini().key(request), "k-2");
}

}  // namespace
}  // namespace evalfleet::simulator
