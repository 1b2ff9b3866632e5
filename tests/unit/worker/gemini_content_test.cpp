#include "worker/providers/gemini_content.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kUrl = "https://generativelanguage.googleapis.com";

std::string chunk(const std::string& text, const std::string& finish = "") {
    return R"(data: {"candidates":[{"content":{"parts":[{"text":")" + text +
           R"("}],"role":"model"})" +
           (finish.empty() ? "" : R"(,"finishReason":")" + finish + "\"") +
           R"(}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"thoughtsTokenCount":6},)"
           R"("modelVersion":"models/gemini-2.5-flash","responseId":"r1"})"
           "\r\n\r\n";
}

TEST(GeminiContent, NamesTheModelInTheAddress) {
    ModelRequest request = question("gemini-2.0-flash", "001");
    EXPECT_EQ(make(GeminiContent(), kUrl, request).http.url.target,
              "/v1beta/models/gemini-2.0-flash-001:generateContent");
    request.stream = true;
    EXPECT_EQ(make(GeminiContent(), std::string(kUrl) + "/v1beta", request).http.url.target,
              "/v1beta/models/gemini-2.0-flash-001:streamGenerateContent?alt=sse");
    EXPECT_EQ(make(GeminiContent(), kUrl, question("a/../b?x")).http.url.target,
              "/v1beta/models/a%2F..%2Fb%3Fx:generateContent");
}

TEST(GeminiContent, SendsContentsAndConfig) {
    const WireRequest wire = make(GeminiContent(), kUrl, question("gemini-2.5-flash"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"({"role":"model","parts":[{"text":"Hi"}]})"));
    EXPECT_THAT(wire.http.body,
                HasSubstr(R"("systemInstruction":{"parts":[{"text":"Be brief."}]})"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("generationConfig":{"temperature":0.5,"topP":1.0,)"
                                          R"("maxOutputTokens":64,"seed":42})"));
    EXPECT_THAT(wire.refused_parameters, IsEmpty());
}

TEST(GeminiContent, SendsNoSamplingToNewModels) {
    for (const char* model : {"gemini-3.6-flash", "gemini-3.5-flash-lite", "gemini-4.0-pro"}) {
        const WireRequest wire = make(GeminiContent(), kUrl, question(model));
        EXPECT_THAT(wire.http.body, Not(HasSubstr("temperature"))) << model;
        EXPECT_THAT(wire.refused_parameters, ElementsAre("temperature", "top_p")) << model;
    }
}

TEST(GeminiContent, ReadsAReplyAndCountsThoughtsAsOutput) {
    const auto reply = GeminiContent().read_reply(
        {{"server-timing", "gfet4t7; dur=164"}},
        R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Paris."}]},
            "finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,
            "candidatesTokenCount":4,"thoughtsTokenCount":6,"cachedContentTokenCount":2,
            "totalTokenCount":19},"modelVersion":"gemini-2.5-flash","responseId":"r1"})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->usage, (Usage{9, 10, 2, std::nullopt, 6}));
    EXPECT_EQ(reply->request_id, "r1");
    EXPECT_EQ(reply->server_timing_ms, 164);
}

TEST(GeminiContent, KnowsABlockedPromptAndAFilteredAnswer) {
    const auto blocked = GeminiContent().read_reply(
        {}, R"({"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{}})");
    ASSERT_TRUE(blocked);
    EXPECT_EQ(blocked->answer, "");
    EXPECT_EQ(blocked->finish_reason, "content_filter");
    const auto filtered =
        GeminiContent().read_reply({}, R"({"candidates":[{"finishReason":"SAFETY"}]})");
    ASSERT_TRUE(filtered);
    EXPECT_EQ(filtered->finish_reason, "content_filter");
}

TEST(GeminiContent, RefusesBodiesOfAnotherShape) {
    for (const char* body : {"", "null", "[]", "{}", R"({"candidates":[]})", R"({"candidates":5})",
                             R"({"candidates":[{"content":{"parts":5}}]})"}) {
        EXPECT_FALSE(GeminiContent().read_reply({}, body)) << body;
    }
}

TEST(GeminiContent, ReadsTheChunksOfAStreamInOneArray) {
    const auto reply = GeminiContent().read_reply(
        {}, R"([{"candidates":[{"content":{"parts":[{"text":"Par"}]}}]},)"
            R"({"candidates":[{"content":{"parts":[{"text":"is."}]},"finishReason":"STOP"}],)"
            R"("usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4}}])");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->usage.output_tokens, 4);
}

TEST(GeminiContent, ReadsAStreamThatEndsWithTheConnection) {
    const auto reply = stream(GeminiContent(), {chunk("Par"), chunk("is.", "STOP")});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(0));
    EXPECT_EQ(reply->model_reported, "gemini-2.5-flash");
    EXPECT_EQ(reply->usage, (Usage{9, 10, {}, {}, 6}));
    EXPECT_EQ(stream(GeminiContent(), {chunk("Par")}).error().kind, ErrorKind::transient);
    EXPECT_EQ(stream(GeminiContent(), {chunk("Paris.", "STOP"), "data: [DONE]\n\n"})->answer,
              "Paris.");
    for (std::size_t size = 1; size < 30; ++size) {
        EXPECT_EQ(stream_cut(GeminiContent(), chunk("Par") + chunk("is.", "STOP"), size)->answer,
                  "Paris.");
    }
}

TEST(GeminiContent, TellsAnErrorInTheMiddle) {
    const auto reply = stream(
        GeminiContent(),
        {chunk("Par"),
         "data: "
         "{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}\r\n\r\n"});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 503);
}

TEST(GeminiContent, KnowsABlockedPromptAndAFilterInAStream) {
    const auto blocked =
        stream(GeminiContent(),
               {"data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":"
                "{\"promptTokenCount\":9}}\r\n\r\n"});
    ASSERT_TRUE(blocked) << blocked.error().message;
    EXPECT_EQ(blocked->answer, "");
    EXPECT_EQ(blocked->finish_reason, "content_filter");
    EXPECT_EQ(blocked->usage.input_tokens, 9);
    const auto cut = stream(GeminiContent(), {chunk("Par"), chunk("", "SAFETY")});
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->answer, "Par");
    EXPECT_EQ(cut->finish_reason, "content_filter");
}

TEST(GeminiContent, DoesNotComeBackTheSameDayForAQuotaToldInAStream) {
    const auto reply = stream(
        GeminiContent(),
        {chunk("Par"),
         "data: {\"error\":{\"code\":429,\"message\":\"q\",\"status\":\"RESOURCE_EXHAUSTED\","
         "\"details\":[{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDay\"}]}]}}\r\n\r\n"});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 429);
    EXPECT_EQ(reply->refusal->should_retry, false);
}

TEST(GeminiContent, ReadsWhenToComeBackAndWhetherAtAll) {
    const Refusal soon = GeminiContent().read_refusal(
        429, {}, R"([{"error":{"code":429,"message":"q","status":"RESOURCE_EXHAUSTED","details":[
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36s"}]}}])",
        {});
    EXPECT_EQ(soon.retry_after, std::chrono::seconds(36));
    EXPECT_EQ(soon.should_retry, std::nullopt);
    const Refusal never = GeminiContent().read_refusal(
        429, {}, R"({"error":{"code":429,"message":"q","status":"RESOURCE_EXHAUSTED","details":[
            {"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}]}})",
        {});
    EXPECT_EQ(never.should_retry, false);
    EXPECT_TRUE(never.message.ends_with(" (daily quota)")) << never.message;
}

TEST(GeminiContent, TellsAWrongKeyFromAWrongRequest) {
    const Refusal refusal = GeminiContent().read_refusal(
        400, {},
        R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",
            "status":"INVALID_ARGUMENT","details":[
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}})",
        {});
    EXPECT_TRUE(refusal.message.ends_with(" (API_KEY_INVALID)")) << refusal.message;
}

TEST(GeminiContent, AsksForTheFormOfAnAnswerAndWhereItStops) {
    ModelRequest request = question("gemini-2.5-flash");
    request.generation.stop = job::StopSequences{{"END"}};
    request.generation.response_format = job::ResponseFormat{R"({"type":"object"})"};
    EXPECT_THAT(make(GeminiContent(), kUrl, request).http.body,
                HasSubstr(R"("stopSequences":["END"],"responseMimeType":"application/json",)"
                          R"("responseJsonSchema":{"type":"object"}})"));
}

TEST(GeminiContent, SaysHowMuchAModelShallThink) {
    ModelRequest request = question("gemini-2.5-flash");
    request.generation.thinking_budget = 32;
    EXPECT_THAT(make(GeminiContent(), kUrl, request).http.body,
                HasSubstr(R"("thinkingConfig":{"thinkingBudget":32}})"));
    request.generation.thinking_budget.reset();
    request.generation.reasoning_effort = "low";
    EXPECT_THAT(make(GeminiContent(), kUrl, request).http.body,
                HasSubstr(R"("thinkingConfig":{"thinkingLevel":"low"}})"));
}

}  // namespace
}  // namespace evalfleet::worker
