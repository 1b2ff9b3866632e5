#include "cli/simulator/protocols/openai.hpp"

#include "cli/simulator/protocols/azure_openai.hpp"
#include "cli/simulator/protocols/wire.hpp"
#include "tests/unit/cli/simulator/protocol_fixture.hpp"

#include <gmock/gmock.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kBody =
    R"({"model":"gpt-x","messages":[{"role":"system","content":"Be brief."},)"
    R"({"role":"user","content":[{"type":"text","text":"Why"},{"type":"text","text":"?"}]}],)"
    R"("max_completion_tokens":9,"stream":true,"stream_options":{"include_usage":true}})";

TEST(OpenAi, ReadsARequest) {
    const ChatRequest chat = read_request(OpenAi(), kBody).value();
    EXPECT_EQ(chat.model, "gpt-x");
    EXPECT_EQ(chat.prompt, "Why?");
    EXPECT_EQ(chat.input_bytes, 13U);
    EXPECT_EQ(chat.max_tokens, 9);
    EXPECT_TRUE(chat.stream);
    EXPECT_TRUE(chat.wants_stream_usage);
    EXPECT_FALSE(read_request(OpenAi(), R"({"model":"m","messages":[]})"));
    EXPECT_FALSE(read_request(OpenAi(), R"({"messages":[{"role":"user","content":"x"}]})"));
}

TEST(OpenAi, WritesAChatCompletion) {
    const Json reply(OpenAi().write(answer_of("It is."), 1ms));
    EXPECT_EQ(reply.at("id"), "chatcmpl-sim0000000000000abc");
    EXPECT_EQ(reply.at("object"), "chat.completion");
    EXPECT_EQ(reply.at("created"), "1700000000");
    EXPECT_EQ(reply.at("model"), "simulated/m-1");
    EXPECT_EQ(reply.at("choices"), "[1]");
    EXPECT_EQ(reply.at("choices.0.index"), "0");
    EXPECT_EQ(reply.at("choices.0.message.role"), "assistant");
    EXPECT_EQ(reply.at("choices.0.message.content"), "It is.");
    EXPECT_EQ(reply.at("choices.0.message.refusal"), "null");
    EXPECT_EQ(reply.at("choices.0.logprobs"), "null");
    EXPECT_EQ(reply.at("choices.0.finish_reason"), "stop");
    EXPECT_EQ(reply.at("choices.0.content_filter_results"), "(none)");
    EXPECT_EQ(reply.at("usage.prompt_tokens"), "20");
    EXPECT_EQ(reply.at("usage.completion_tokens"), "7");
    EXPECT_EQ(reply.at("usage.total_tokens"), "27");
    EXPECT_EQ(reply.at("usage.prompt_tokens_details.cached_tokens"), "8");
    EXPECT_EQ(reply.at("usage.prompt_tokens_details.cache_write_tokens"), "2");
    EXPECT_EQ(reply.at("usage.completion_tokens_details.reasoning_tokens"), "3");
    EXPECT_EQ(reply.at("service_tier"), "default");
    EXPECT_EQ(reply.at("system_fingerprint"), "fp_simulated");
}

TEST(OpenAi, TellsRefusalsAndFilters) {
    Completion completion = answer_of("No.");
    completion.finish_reason = "refusal";
    const Json refused(OpenAi().write(completion, 1ms));
    EXPECT_EQ(refused.at("choices.0.message.content"), "null");
    EXPECT_EQ(refused.at("choices.0.message.refusal"), "No.");
    EXPECT_EQ(refused.at("choices.0.finish_reason"), "stop");
    completion.finish_reason = "content_filter";
    completion.has_usage = false;
    const Json filtered(OpenAi().write(completion, 1ms));
    EXPECT_EQ(filtered.at("choices.0.finish_reason"), "content_filter");
    EXPECT_EQ(filtered.at("usage"), "(none)");
}

TEST(OpenAi, StreamsChunksUpToDone) {
    Completion completion = answer_of("It is.");
    completion.wants_stream_usage = true;
    const auto events = events_of(stream_of(OpenAi(), completion));
    ASSERT_EQ(events.size(), 6U);
    const auto chunk = [&](std::size_t i) { return Json(events[i].substr(1)); };
    EXPECT_EQ(chunk(0).at("object"), "chat.completion.chunk");
    EXPECT_EQ(chunk(0).at("model"), "simulated/m-1");
    EXPECT_EQ(chunk(0).at("choices.0.delta.role"), "assistant");
    EXPECT_EQ(chunk(0).at("choices.0.delta.content"), "");
    EXPECT_EQ(chunk(0).at("choices.0.finish_reason"), "null");
    EXPECT_EQ(chunk(0).at("usage"), "null");
    EXPECT_EQ(chunk(1).at("choices.0.delta.content"), "It");
    EXPECT_EQ(chunk(2).at("choices.0.delta.content"), " is.");
    EXPECT_EQ(chunk(3).at("choices.0.delta"), "{0}");
    EXPECT_EQ(chunk(3).at("choices.0.finish_reason"), "stop");
    EXPECT_EQ(chunk(4).at("choices"), "[0]");
    EXPECT_EQ(chunk(4).at("usage.total_tokens"), "27");
    EXPECT_EQ(events[5], "|[DONE]");
}

TEST(OpenAi, StreamsNoUsageUnlessAsked) {
    Completion completion = answer_of("It is.");
    completion.wants_padding = false;
    const std::string stream = stream_of(OpenAi(), completion);
    EXPECT_EQ(stream.find("usage"), std::string::npos);
    EXPECT_EQ(stream.find("obfuscation"), std::string::npos);
    EXPECT_EQ(events_of(stream).size(), 5U);
}

TEST(OpenAi, TellsErrorsInItsShape) {
    const Json plain(OpenAi().write_error(failure_of(500)));
    EXPECT_EQ(plain.at("error.type"), "server_error");
    EXPECT_EQ(plain.at("error.param"), "null");
    EXPECT_EQ(plain.at("error.code"), "null");
    EXPECT_NE(plain.at("error.message"), "");
    const Json limited(OpenAi().write_error(failure_of(429, FailureKind::tokens_limit)));
    EXPECT_EQ(limited.at("error.type"), "tokens");
    EXPECT_EQ(limited.at("error.code"), "rate_limit_exceeded");
    const Json key(OpenAi().write_error(failure_of(401, FailureKind::bad_key)));
    EXPECT_EQ(key.at("error.code"), "invalid_api_key");
    Failure broke = failure_of(429);
    broke.code = "insufficient_quota";
    EXPECT_EQ(Json(OpenAi().write_error(broke)).at("error.type"), "insufficient_quota");
    EXPECT_EQ(Json(OpenAi().write_error(broke)).at("error.code"), "insufficient_quota");
}

TEST(OpenAi, TellsItsLimitsInHeaders) {
    http::Headers headers;
    QuotaView quota;
    quota.requests = Allowance{10, 9, 61s};
    quota.tokens = Allowance{100, 40, 120ms};
    OpenAi().add_headers({"id", 25ms, {}, quota}, headers);
    EXPECT_EQ(headers.find("openai-processing-ms"), "25");
    EXPECT_EQ(headers.find("x-ratelimit-limit-requests"), "10");
    EXPECT_EQ(headers.find("x-ratelimit-remaining-requests"), "9");
    EXPECT_EQ(headers.find("x-ratelimit-reset-requests"), "1m1s");
    EXPECT_EQ(headers.find("x-ratelimit-remaining-tokens"), "40");
    EXPECT_EQ(headers.find("x-ratelimit-reset-tokens"), "120ms");
}

TEST(OpenAi, FindsTheKey) {
    http::RequestContext request;
    EXPECT_EQ(OpenAi().key(request), "");
    request.headers.add("authorization", "bearer  sk-1 ");
    EXPECT_EQ(OpenAi().key(request), "sk-1");
    request.headers.add("api-key", "az-1");
    EXPECT_EQ(AzureOpenAi().key(request), "az-1");
}

TEST(AzureOpenAi, TakesTheModelFromTheDeployment) {
    http::RequestContext request;
    request.parameters = {{"deployment", "prod"}};
    constexpr const char* kNoModel = R"({"messages":[{"role":"user","content":"x"}]})";
    const auto refused = read_request(AzureOpenAi(), kNoModel, request);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("api-version"));
    request.query = http::Query::parse("api-version=2024-10-21").value();
    EXPECT_EQ(read_request(AzureOpenAi(), kNoModel, request).value().model, "prod");
}

TEST(AzureOpenAi, TellsWhatItsFilterFound) {
    const Json reply(AzureOpenAi().write(answer_of("It is."), 1ms));
    EXPECT_EQ(reply.at("choices.0.content_filter_results.hate.filtered"), "false");
    EXPECT_EQ(reply.at("choices.0.content_filter_results.violence.severity"), "safe");
    EXPECT_EQ(reply.at("prompt_filter_results.0.prompt_index"), "0");
    EXPECT_EQ(reply.at("prompt_filter_results.0.content_filter_results.self_harm.filtered"),
              "false");
    const auto events = events_of(stream_of(AzureOpenAi(), answer_of("It is.")));
    const Json first(events.at(0).substr(1));
    EXPECT_EQ(first.at("choices"), "[0]");
    EXPECT_EQ(first.at("prompt_filter_results"), "[1]");
    EXPECT_EQ(Json(events.at(2).substr(1)).at("choices.0.content_filter_results.hate.severity"),
              "safe");
    EXPECT_EQ(events.back(), "|[DONE]");
}

TEST(AzureOpenAi, TellsErrorsInItsShape) {
    const Json blocked(AzureOpenAi().write_error(failure_of(400, FailureKind::blocked)));
    EXPECT_EQ(blocked.at("error.code"), "content_filter");
    EXPECT_EQ(blocked.at("error.param"), "prompt");
    EXPECT_EQ(blocked.at("error.status"), "400");
    EXPECT_EQ(blocked.at("error.innererror.code"), "ResponsibleAIPolicyViolation");
    EXPECT_EQ(blocked.at("error.innererror.content_filter_result.violence.filtered"), "true");
    Failure limited = failure_of(429, FailureKind::requests_limit);
    limited.retry_after = 7s;
    EXPECT_EQ(Json(AzureOpenAi().write_error(limited)).at("error.code"), "429");
    EXPECT_THAT(Json(AzureOpenAi().write_error(limited)).at("error.message"),
                HasSubstr("Please retry after 7 seconds"));
    limited.retry_after.reset();
    EXPECT_THAT(AzureOpenAi().write_error(limited), Not(HasSubstr("retry after")));
    http::Headers headers;
    AzureOpenAi().add_headers({"id-1", 25ms, {}, {}}, headers);
    EXPECT_EQ(headers.find("apim-request-id"), "id-1");
}

}  // namespace
}  // namespace evalfleet::simulator
