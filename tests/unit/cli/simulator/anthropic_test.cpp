#include "cli/simulator/protocols/anthropic.hpp"

#include "tests/unit/cli/simulator/protocol_fixture.hpp"

#include <gmock/gmock.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

http::RequestContext with_version(const char* version) {
    http::RequestContext request;
    request.headers.add("anthropic-version", version);
    return request;
}

constexpr const char* kBody =
    R"({"model":"claude-x","max_tokens":9,"temperature":0.5,"system":[{"type":"text","text":"Brief."}],)"
    R"("messages":[{"role":"user","content":"Why?"}],"stream":true})";

TEST(Anthropic, ReadsARequest) {
    const ChatRequest chat = read_request(Anthropic(), kBody, with_version("2023-06-01")).value();
    EXPECT_EQ(chat.model, "claude-x");
    EXPECT_EQ(chat.prompt, "Why?");
    EXPECT_EQ(chat.input_bytes, 10U);
    EXPECT_EQ(chat.max_tokens, 9);
    EXPECT_TRUE(chat.stream);
}

TEST(Anthropic, RefusesWhatItsVersionsDo) {
    const auto refusal = [](const char* body, http::RequestContext request) {
        const auto read = read_request(Anthropic(), body, std::move(request));
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refusal(kBody, {}), HasSubstr("anthropic-version"));
    EXPECT_THAT(refusal(kBody, with_version("2026-10-21")), HasSubstr("temperature"));
    EXPECT_THAT(refusal(R"({"model":"m","messages":[{"role":"user","content":"x"}]})",
                        with_version("2023-06-01")),
                HasSubstr("max_tokens"));
}

TEST(Anthropic, WritesAMessage) {
    const Json reply(Anthropic().write(answer_of("It is."), 1ms));
    EXPECT_EQ(reply.at("id"), "msg_sim0000000000000abc");
    EXPECT_EQ(reply.at("type"), "message");
    EXPECT_EQ(reply.at("role"), "assistant");
    EXPECT_EQ(reply.at("model"), "simulated/m-1");
    EXPECT_EQ(reply.at("content"), "[1]");
    EXPECT_EQ(reply.at("content.0.type"), "text");
    EXPECT_EQ(reply.at("content.0.text"), "It is.");
    EXPECT_EQ(reply.at("stop_reason"), "end_turn");
    EXPECT_EQ(reply.at("stop_sequence"), "null");
    EXPECT_EQ(reply.at("usage.input_tokens"), "10");
    EXPECT_EQ(reply.at("usage.cache_read_input_tokens"), "8");
    EXPECT_EQ(reply.at("usage.cache_creation_input_tokens"), "2");
    EXPECT_EQ(reply.at("usage.cache_creation.ephemeral_5m_input_tokens"), "2");
    EXPECT_EQ(reply.at("usage.output_tokens"), "7");
    EXPECT_EQ(reply.at("usage.output_tokens_details.thinking_tokens"), "3");
}

TEST(Anthropic, HasItsOwnWordsForTheEnd) {
    Completion completion = answer_of("It is.");
    const auto reason = [&completion](const char* finish) {
        completion.finish_reason = finish;
        return Json(Anthropic().write(completion, 1ms)).at("stop_reason");
    };
    EXPECT_EQ(reason("length"), "max_tokens");
    EXPECT_EQ(reason("refusal"), "refusal");
    EXPECT_EQ(reason("content_filter"), "refusal");
    EXPECT_EQ(reason("pause_turn"), "pause_turn");
    completion.finish_reason = "refusal";
    EXPECT_EQ(Json(Anthropic().write(completion, 1ms)).at("stop_details.category"),
              "general_harms");
}

TEST(Anthropic, StreamsNamedEvents) {
    const auto events = events_of(stream_of(Anthropic(), answer_of("It is.")));
    ASSERT_EQ(events.size(), 8U);
    const auto data = [&](std::size_t i) {
        return Json(events[i].substr(events[i].find('|') + 1));
    };
    const auto name = [&](std::size_t i) { return events[i].substr(0, events[i].find('|')); };
    for (std::size_t i = 0; i < events.size(); ++i)
        EXPECT_EQ(data(i).at("type"), name(i));
    EXPECT_EQ(name(0), "message_start");
    EXPECT_EQ(data(0).at("message.model"), "simulated/m-1");
    EXPECT_EQ(data(0).at("message.content"), "[0]");
    EXPECT_EQ(data(0).at("message.stop_reason"), "null");
    EXPECT_EQ(data(0).at("message.usage.input_tokens"), "10");
    EXPECT_EQ(name(1), "content_block_start");
    EXPECT_EQ(data(1).at("content_block.type"), "text");
    EXPECT_EQ(name(2), "ping");
    EXPECT_EQ(name(3), "content_block_delta");
    EXPECT_EQ(data(3).at("delta.type"), "text_delta");
    EXPECT_EQ(data(3).at("delta.text"), "It");
    EXPECT_EQ(data(4).at("delta.text"), " is.");
    EXPECT_EQ(name(5), "content_block_stop");
    EXPECT_EQ(name(6), "message_delta");
    EXPECT_EQ(data(6).at("delta.stop_reason"), "end_turn");
    EXPECT_EQ(data(6).at("usage.output_tokens"), "7");
    EXPECT_EQ(name(7), "message_stop");
}

TEST(Anthropic, TellsErrorsInItsShape) {
    const auto type = [](int status) {
        return Json(Anthropic().write_error(failure_of(status))).at("error.type");
    };
    EXPECT_EQ(type(400), "invalid_request_error");
    EXPECT_EQ(type(401), "authentication_error");
    EXPECT_EQ(type(403), "permission_error");
    EXPECT_EQ(type(404), "not_found_error");
    EXPECT_EQ(type(413), "request_too_large");
    EXPECT_EQ(type(429), "rate_limit_error");
    EXPECT_EQ(type(500), "api_error");
    EXPECT_EQ(type(504), "timeout_error");
    EXPECT_EQ(type(529), "overloaded_error");
    Failure failure = failure_of(429);
    failure.code = "ramp_limit_exceeded";
    const Json error(Anthropic().write_error(failure));
    EXPECT_EQ(error.at("type"), "error");
    EXPECT_EQ(error.at("request_id"), "req-1");
    EXPECT_EQ(error.at("error.details.error_code"), "ramp_limit_exceeded");
    const Completion completion = answer_of("");
    EXPECT_THAT(Anthropic().write_stream(completion)->fail(failure_of(529)),
                ::testing::StartsWith("event: error\ndata: {\"type\":\"error\""));
}

TEST(Anthropic, TellsItsLimitsInHeaders) {
    http::Headers headers;
    QuotaView quota;
    quota.requests = Allowance{10, 9, 61s};
    quota.tokens = Allowance{100, 40, 1s};
    Anthropic().add_headers(
        {"id-1", 1ms, std::chrono::system_clock::time_point(1'700'000'000s), quota}, headers);
    EXPECT_EQ(headers.find("request-id"), "id-1");
    EXPECT_EQ(headers.find("anthropic-ratelimit-requests-limit"), "10");
    EXPECT_EQ(headers.find("anthropic-ratelimit-requests-remaining"), "9");
    EXPECT_EQ(headers.find("anthropic-ratelimit-requests-reset"), "2023-11-14T22:14:21Z");
    EXPECT_EQ(headers.find("anthropic-ratelimit-tokens-remaining"), "40");
    EXPECT_EQ(headers.find("anthropic-ratelimit-input-tokens-limit"), "100");
    EXPECT_EQ(headers.find("anthropic-ratelimit-output-tokens-reset"), "2023-11-14T22:13:21Z");
}

}  // namespace
}  // namespace evalfleet::simulator
