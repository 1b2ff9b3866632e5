#include "worker/providers/bedrock_converse.hpp"

#include "common/aws/event_stream.hpp"
#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

constexpr const char* kUrl = "https://bedrock-runtime.eu-west-1.amazonaws.com";

std::string frame(const std::string& type, std::string payload) {
    return aws::encode({{{":event-type", type}, {":message-type", "event"}}, std::move(payload)});
}

std::string exception(const std::string& type) {
    return aws::encode(
        {{{":exception-type", type}, {":message-type", "exception"}}, R"({"message":"wait"})"});
}

const std::string kUsage =
    R"("usage":{"inputTokens":12,"outputTokens":5,"totalTokens":25,"cacheReadInputTokens":6,)"
    R"("cacheWriteInputTokens":2},"metrics":{"latencyMs":321})";

TEST(BedrockConverse, AsksForAModelByItsIdInThePath) {
    ModelRequest request = question("amazon.nova-pro-v1:0");
    const WireRequest wire = make(BedrockConverse(), kUrl, request);
    EXPECT_EQ(wire.http.url.target, "/model/amazon.nova-pro-v1%3A0/converse");
    EXPECT_THAT(wire.http.body, HasSubstr(R"({"role":"assistant","content":[{"text":"Hi"}]})"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("system":[{"text":"Be brief."}])"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("inferenceConfig":{"maxTokens":64,"temperature":0.5,)"
                                          R"("topP":1.0})"));
    EXPECT_THAT(wire.refused_parameters, ::testing::ElementsAre("seed"));
    request.stream = true;
    EXPECT_THAT(make(BedrockConverse(), kUrl, request).http.url.target,
                HasSubstr("/converse-stream"));
}

TEST(BedrockConverse, SendsClaudeOnlyOneOfTemperatureAndTopP) {
    const WireRequest wire =
        make(BedrockConverse(), kUrl, question("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"));
    EXPECT_THAT(wire.refused_parameters, ::testing::ElementsAre("top_p", "seed"));
}

TEST(BedrockConverse, ReadsAWholeReply) {
    const auto reply = BedrockConverse().read_reply(
        {{"x-amzn-RequestId", "r1"}},
        R"({"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":)"
        R"({"text":"hm"}}},{"text":"Paris."}]}},"stopReason":"max_tokens",)" +
            kUsage + "}");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "length");
    EXPECT_EQ(reply->request_id, "r1");
    EXPECT_EQ(reply->provider_time_ms, 321);
    EXPECT_EQ(reply->usage, (Usage{20, 5, 6, 2, std::nullopt}));
    EXPECT_FALSE(BedrockConverse().read_reply({}, "{}"));
}

TEST(BedrockConverse, ReadsAStreamInWhateverPiecesItComes) {
    const std::string body = frame("messageStart", R"({"role":"assistant"})") +
                             frame("contentBlockDelta", R"({"delta":{"text":"Par"}})") +
                             frame("contentBlockDelta", R"({"delta":{"text":"is."}})") +
                             frame("messageStop", R"({"stopReason":"end_turn"})") +
                             frame("metadata", "{" + kUsage + "}");
    for (const std::size_t size : {1U, 3U, 64U, 10'000U}) {
        const auto reply = stream_cut(BedrockConverse(), body, size);
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_EQ(reply->answer, "Paris.");
        EXPECT_EQ(reply->finish_reason, "stop");
        EXPECT_EQ(reply->usage.input_tokens, 20);
    }
    EXPECT_EQ(stream_cut(BedrockConverse(), body.substr(0, 200), 64).error().kind,
              ErrorKind::transient);
}

TEST(BedrockConverse, TellsErrorsInAStreamByTheirNames) {
    const std::vector<std::pair<const char*, int>> names{{"throttlingException", 429},
                                                         {"serviceUnavailableException", 503},
                                                         {"validationException", 400},
                                                         {"modelStreamErrorException", 500}};
    for (const auto& [name, status] : names) {
        const auto reply = stream(BedrockConverse(), {exception(name)});
        ASSERT_TRUE(reply && reply->refusal) << name;
        EXPECT_EQ(reply->refusal->status, status) << name;
        EXPECT_THAT(reply->refusal->message, HasSubstr("wait"));
    }
}

TEST(BedrockConverse, KnowsARefusalOfItsKeys) {
    const auto expired = BedrockConverse().read_refusal(
        403, {{"x-amzn-ErrorType", "ExpiredTokenException:http://internal"}},
        R"({"message":"The security token is expired"})", {});
    EXPECT_TRUE(expired.refuses_credentials);
    EXPECT_THAT(expired.message, HasSubstr("(ExpiredTokenException)"));
    const auto denied = BedrockConverse().read_refusal(
        403, {}, R"({"__type":"AccessDeniedException","message":"no access to the model"})", {});
    EXPECT_FALSE(denied.refuses_credentials);
}

}  // namespace
}  // namespace evalfleet::worker
