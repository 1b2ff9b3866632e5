#include "worker/providers/anthropic_messages.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kUrl = "https://api.anthropic.com";

std::string event(const std::string& type, const std::string& members) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + members + "}\n\n";
}

const std::string kStart = event(
    "message_start",
    R"(,"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":1}})");
const std::string kPing = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
const std::string kEnd =
    event(
        "message_delta",
        R"(,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15})") +
    event("message_stop", "");

std::string delta(const std::string& type, const std::string& member, const std::string& text) {
    return event("content_block_delta", R"(,"index":0,"delta":{"type":")" + type + R"(",")" +
                                            member + R"(":")" + text + R"("})");
}

TEST(AnthropicMessages, PostsMessagesWithVersion) {
    for (const char* base : {"https://api.anthropic.com", "https://api.anthropic.com/v1/"}) {
        const WireRequest wire =
            make(AnthropicMessages(), base, question("claude-sonnet-4-5", "2025-09-29"));
        EXPECT_EQ(wire.http.url.target, "/v1/messages");
        EXPECT_EQ(wire.http.headers.find("anthropic-version"), "2023-06-01");
        const auto body = body_of(wire);
        EXPECT_EQ(body.root().get<std::string>("model").value(), "claude-sonnet-4-5-20250929");
        EXPECT_EQ(body.root().get<std::string>("system").value(), "Be brief.");
        EXPECT_EQ(body.root().get<int>("max_tokens").value(), 64);
        EXPECT_EQ(body.root().get<std::vector<json::Value>>("messages")->size(), 3U);
    }
}

TEST(AnthropicMessages, HasNoSeed) {
    const WireRequest wire = make(AnthropicMessages(), kUrl, question("claude-3-opus-20240229"));
    EXPECT_THAT(wire.http.body, Not(HasSubstr("seed")));
    EXPECT_THAT(wire.refused_parameters, ElementsAre("seed"));
    EXPECT_THAT(wire.http.body, HasSubstr("\"temperature\":0.5"));
    EXPECT_THAT(wire.http.body, HasSubstr("\"top_p\":1"));
}

TEST(AnthropicMessages, SendsOneOfTemperatureAndTopPFromGeneration41On) {
    ModelRequest request = question("claude-sonnet-4-5-20250929");
    EXPECT_THAT(make(AnthropicMessages(), kUrl, request).http.body, Not(HasSubstr("top_p")));
    EXPECT_THAT(make(AnthropicMessages(), kUrl, request).refused_parameters,
                ElementsAre("top_p", "seed"));  // although it is 1, which the model uses anyway
    request.generation.top_p = 0.9;
    EXPECT_THAT(make(AnthropicMessages(), kUrl, request).refused_parameters,
                ElementsAre("top_p", "seed"));
    request.generation.temperature = 1;
    const WireRequest other = make(AnthropicMessages(), kUrl, request);
    EXPECT_THAT(other.http.body, HasSubstr("\"top_p\":0.9"));
    EXPECT_THAT(other.http.body, Not(HasSubstr("temperature")));
    EXPECT_THAT(other.refused_parameters, ElementsAre("temperature", "seed"));
}

TEST(AnthropicMessages, SendsNoSamplingToNewModelsAndUnderTheNewVersion) {
    for (const char* model : {"claude-opus-5-5", "claude-sonnet-5"}) {
        const WireRequest wire = make(AnthropicMessages(), kUrl, question(model));
        EXPECT_THAT(wire.http.body, Not(HasSubstr("temperature"))) << model;
        EXPECT_THAT(wire.refused_parameters, ElementsAre("temperature", "top_p", "seed")) << model;
    }
    const WireRequest wire =
        make(AnthropicMessages(), kUrl, question("claude-haiku-4-5-20251001"), "2026-10-21");
    EXPECT_THAT(wire.http.body, Not(HasSubstr("temperature")));
    EXPECT_EQ(wire.http.headers.find("anthropic-version"), "2026-10-21");
}

TEST(AnthropicMessages, ReadsAReplyWithCachedTokensInTheInput) {
    const auto reply = AnthropicMessages().read_reply(
        {{"request-id", "req_1"}, {"server-timing", "x-originResponse;dur=253"}},
        R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-6",
            "content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Par"},
                       {"type":"text","text":"is."}],"stop_reason":"max_tokens",
            "usage":{"input_tokens":10,"cache_creation_input_tokens":3,
                     "cache_read_input_tokens":7,"output_tokens":5}})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "length");
    EXPECT_EQ(reply->model_reported, "claude-opus-4-6");
    EXPECT_EQ(reply->request_id, "req_1");
    EXPECT_EQ(reply->usage, (Usage{20, 5, 7, 3}));
    EXPECT_EQ(reply->server_timing_ms, 253);
}

TEST(AnthropicMessages, GivesTheExplanationOfARefusal) {
    const auto reply =
        AnthropicMessages().read_reply({}, R"({"content":[],"stop_reason":"refusal","model":"m",
                "stop_details":{"category":"bio","explanation":"I will not."}})");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->answer, "I will not.");
    EXPECT_EQ(reply->finish_reason, "refusal");
}

TEST(AnthropicMessages, RefusesBodiesOfAnotherShape) {
    for (const char* body : {"", "null", "[]", "{}", R"({"content":5})", R"({"content":[5]})"}) {
        EXPECT_FALSE(AnthropicMessages().read_reply({}, body)) << body;
    }
}

TEST(AnthropicMessages, ReadsAStream) {
    const std::string whole =
        kStart + kPing +
        event("content_block_start", R"(,"content_block":{"type":"text","text":""})");
    const auto reply = stream(
        AnthropicMessages(),
        {whole, delta("thinking_delta", "thinking", "hm"), delta("text_delta", "text", "Par"),
         delta("text_delta", "text", "is.") + event("new_kind", ""), kEnd});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(2));
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->request_id, "msg_1");
    EXPECT_EQ(reply->usage, (Usage{20, 15, 7, 3}));
}

TEST(AnthropicMessages, TakesAStreamThatSaidWhyItStoppedForWhole) {
    const std::string stopped = kEnd.substr(0, kEnd.find("event: message_stop"));
    for (const std::string& end : {stopped, stopped + "data: [DONE]\n\n", kEnd}) {
        const auto reply =
            stream(AnthropicMessages(), {kStart, delta("text_delta", "text", "Paris."), end});
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_EQ(reply->answer, "Paris.");
        EXPECT_EQ(reply->finish_reason, "stop");
        EXPECT_EQ(reply->usage.output_tokens, 15);
    }
}

TEST(AnthropicMessages, ReadsEventsWhoseDataHasNoType) {
    const auto reply =
        stream(AnthropicMessages(), {"event: content_block_delta\ndata: "
                                     "{\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"
                                     "event: message_stop\ndata: {}\n\n"});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "x");
}

TEST(AnthropicMessages, KnowsABrokenStreamAndAnErrorInIt) {
    EXPECT_EQ(
        stream(AnthropicMessages(), {kStart, delta("text_delta", "text", "Par")}).error().kind,
        ErrorKind::transient);
    const auto reply = stream(
        AnthropicMessages(),
        {kStart, event("error", R"(,"error":{"type":"overloaded_error","message":"Overloaded"})")});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 529);
    const auto spent = stream(
        AnthropicMessages(),
        {kStart, event("error", R"(,"error":{"type":"rate_limit_error","message":"m",)"
                                R"("details":{"error_code":"enforced_spend_limit_reached"}})")});
    ASSERT_TRUE(spent && spent->refusal);
    EXPECT_EQ(spent->refusal->status, 429);
    EXPECT_EQ(spent->refusal->should_retry, false);
}

TEST(AnthropicMessages, TakesTheLastCountsOfAStream) {
    const auto reply =
        stream(AnthropicMessages(),
               {kStart, delta("text_delta", "text", "x"),
                event("message_delta", R"(,"delta":{"stop_reason":"max_tokens"},"usage":)"
                                       R"({"input_tokens":50,"cache_read_input_tokens":null,)"
                                       R"("output_tokens":15})"),
                event("message_stop", "")});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->finish_reason, "length");
    EXPECT_EQ(reply->usage, (Usage{60, 15, 7, 3}));
}

TEST(AnthropicMessages, CountsThinkingAsPartOfTheOutput) {
    const auto reply = AnthropicMessages().read_reply(
        {}, R"({"content":[],"stop_reason":"max_tokens","model":"m","usage":{"input_tokens":10,
                "output_tokens":1024,"output_tokens_details":{"thinking_tokens":1024}}})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->usage, (Usage{10, 1024, {}, {}, 1024}));
}

TEST(AnthropicMessages, KnowsWhatAStreamCountedBeforeItBrokeOff) {
    const auto reader = AnthropicMessages().read_stream({});
    ASSERT_TRUE(reader->feed(kStart + delta("text_delta", "text", "Par"), {}));
    EXPECT_EQ(reader->usage(), (Usage{20, 1, 7, 3}));
    EXPECT_FALSE(reader->finish());
}

TEST(AnthropicMessages, GivesTheExplanationOfARefusalInAStream) {
    const auto reply =
        stream(AnthropicMessages(),
               {kStart,
                event("message_delta", R"(,"delta":{"stop_reason":"refusal","stop_details":)"
                                       R"({"category":"bio","explanation":"I will not."}})"),
                event("message_stop", "")});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->finish_reason, "refusal");
    EXPECT_EQ(reply->answer, "I will not.");
}

TEST(AnthropicMessages, KnowsAParameterThatTheModelDoesNotTake) {
    const auto refused = [](const std::string& message) {
        return AnthropicMessages()
            .read_refusal(400, {},
                          R"({"type":"error","error":{"type":"invalid_request_error","message":")" +
                              message + R"("}})",
                          {})
            .refused_parameter;
    };
    EXPECT_EQ(refused("`temperature` is deprecated for this model."), "temperature");
    EXPECT_EQ(refused("`temperature` and `top_p` cannot both be specified for this model."),
              "top_p");
    EXPECT_EQ(refused("temperature: range: 0..1"), std::nullopt);
}

TEST(AnthropicMessages, ReadsRefusals) {
    const Refusal limit = AnthropicMessages().read_refusal(
        429, {{"request-id", "r"}, {"retry-after", "3"}},
        R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"},"request_id":"r"})",
        {});
    EXPECT_EQ(limit.retry_after, std::chrono::seconds(3));
    EXPECT_EQ(limit.request_id, "r");
    EXPECT_EQ(limit.message, "HTTP 429: slow (rate_limit_error)");
    const Refusal money = AnthropicMessages().read_refusal(
        429, {},
        R"({"type":"error","error":{"type":"rate_limit_error","message":"m",)"
        R"("details":{"error_code":"enforced_spend_limit_reached"}}})",
        {});
    EXPECT_EQ(money.should_retry, false);
}

TEST(AnthropicMessages, AsksForJsonOfASchemaOnly) {
    ModelRequest request = question("claude-sonnet-4-20250514");
    request.generation.stop = job::StopSequences{{"END"}};
    request.generation.response_format.emplace();
    const WireRequest any = make(AnthropicMessages(), "https://host", request);
    EXPECT_THAT(any.http.body, HasSubstr(R"("stop_sequences":["END"])"));
    EXPECT_THAT(any.http.body, Not(HasSubstr("output_config")));
    EXPECT_THAT(any.refused_parameters, ::testing::Contains("response_format"));
    request.generation.response_format->json_schema = R"({"type":"object"})";
    EXPECT_THAT(make(AnthropicMessages(), "https://host", request).http.body,
                HasSubstr(R"("output_config":{"format":{"type":"json_schema","schema":)"
                          R"({"type":"object"}}})"));
}

TEST(AnthropicMessages, KeepsTheConstantPartOfPromptsInTheCache) {
    ModelRequest request = question("claude-sonnet-4-20250514");
    request.constant_bytes = {9, 2};
    EXPECT_THAT(make(AnthropicMessages(), "https://host", request).http.body,
                Not(HasSubstr("cache_control")));
    request.generation.prompt_cache = job::PromptCache::hour;
    const std::string body = make(AnthropicMessages(), "https://host", request).http.body;
    EXPECT_THAT(body, HasSubstr(R"("system":[{"type":"text","text":"Be brief.",)"
                                R"("cache_control":{"type":"ephemeral","ttl":"1h"}}])"));
    EXPECT_THAT(body,
                HasSubstr(R"("content":[{"type":"text","text":"He","cache_control":)"
                          R"({"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"llo"}])"));
    EXPECT_THAT(body, HasSubstr(R"("role":"assistant","content":"Hi")"));
}

TEST(AnthropicMessages, ThinksWithinItsBudgetAndThenSamplesAtOne) {
    ModelRequest request = question("claude-sonnet-4-20250514");
    request.generation.thinking_budget = 32;
    request.generation.reasoning_effort = "low";
    const WireRequest wire = make(AnthropicMessages(), "https://host", request);
    EXPECT_THAT(wire.http.body, HasSubstr(R"("thinking":{"type":"enabled","budget_tokens":32})"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("output_config":{"effort":"low"})"));
    EXPECT_THAT(wire.http.body, Not(HasSubstr("temperature")));
    EXPECT_THAT(wire.refused_parameters, ::testing::Contains("temperature"));
}

}  // namespace
}  // namespace evalfleet::worker
