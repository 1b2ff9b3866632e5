#include "worker/call/attempt_end.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"
#include "worker/providers/protocols.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using Kind = CallEnd::Kind;
using providers::ProviderType;
using std::chrono::milliseconds;

const std::chrono::system_clock::time_point kNow =
    std::chrono::sys_days{std::chrono::year_month_day{
        std::chrono::year(2026), std::chrono::month(11), std::chrono::day(16)}};

WireResponse response_of(int status, const std::string& body, http::Headers headers = {},
                         bool streamed = false) {
    WireResponse response;
    response.status = status;
    response.headers = std::move(headers);
    response.timings.request_written = moment(3);
    response.is_streamed = streamed;
    if (streamed) {
        response.add_piece(body, moment(5));
    } else {
        response.set_body(body);
    }
    return response;
}

CallEnd end_of(ProviderType type, const WireResponse& response) {
    const AttemptTerms terms{http::RetryPolicy({.max_attempts = 3}), 1, 0.5, kNow};
    return end_of_attempt(response, classify_response(find_protocol(type), response, terms), 1,
                          kNow);
}

CallEnd end_of(int status, const http::Headers& headers) {
    return end_of(ProviderType::openai, response_of(status, "{}", headers));
}

const std::string kGeminiError =
    R"({"error": {"code": 429, "message": "You exceeded your current quota.",
        "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
            {"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s"}]}})";

const std::string kAzureError =
    R"({"error": {"code": "429", "message": "Requests to the ChatCompletions_Create Operation )"
    R"(have exceeded the call rate limit. Please retry after 12 seconds."}})";

std::string on_one_line(std::string text) {
    std::erase(text, '\n');
    return text;
}

TEST(AttemptEnd, IsThrottledForAsLongAsTheHeadersSay) {
    EXPECT_EQ(end_of(429, {}).kind, Kind::throttled);
    EXPECT_EQ(end_of(429, {}).rest, milliseconds(0)) << "nothing is asked for";
    EXPECT_EQ(end_of(429, {{"Retry-After", "7"}}).rest, milliseconds(7'000));
    EXPECT_EQ(end_of(429, {{"retry-after", "86400"}}).rest, milliseconds(60'000));
    EXPECT_EQ(end_of(429, {{"retry-after", "7"}, {"retry-after-ms", "250"}}).rest,
              milliseconds(250));
    EXPECT_EQ(end_of(429, {{"retry-after", "tomorrow"}}).rest, milliseconds(0));
    EXPECT_EQ(end_of(429, {}).sent, moment(3));
}

struct Told {
    const char* name;
    ProviderType type;
    WireResponse response;
    milliseconds rest;
};

std::vector<Told> told() {
    const auto event = [](const std::string& data) { return "data: " + data + "\n\n"; };
    const std::string openai_text = event(R"({"choices": [{"delta": {"content": "Par"}}]})");
    const std::string groq_error =
        "event: error\n" + event(R"({"error": {"message": "slow", "status_code": 429}})");
    const std::string anthropic_start =
        event(R"({"type": "message_start", "message": {"id": "msg", "model": "m"}})");
    const std::string anthropic_error =
        R"({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}})";
    const std::string openrouter =
        R"({"error": {"code": 429, "message": "Provider returned error",
            "metadata": {"provider_name": "x"}}})";
    const milliseconds none(0);
    return {
        {"GeminiBody", ProviderType::gemini, response_of(429, kGeminiError), milliseconds(36'000)},
        {"GeminiArray", ProviderType::gemini, response_of(429, "[" + kGeminiError + "]"),
         milliseconds(36'000)},
        {"GeminiUnder200", ProviderType::gemini, response_of(200, kGeminiError),
         milliseconds(36'000)},
        {"GeminiStream", ProviderType::gemini,
         response_of(200,
                     event(R"({"candidates": [{"content": {"parts": [{"text": "Par"}]}}]})") +
                         event(on_one_line(kGeminiError)),
                     {}, true),
         milliseconds(36'000)},
        {"AzureSentence", ProviderType::azure_openai, response_of(429, kAzureError),
         milliseconds(12'000)},
        {"AzureHeaderFirst", ProviderType::azure_openai,
         response_of(429, kAzureError, {{"retry-after", "9"}}), milliseconds(9'000)},
        {"AzureStream", ProviderType::azure_openai,
         response_of(200, openai_text + event(kAzureError), {}, true), milliseconds(12'000)},
        {"OpenRouterUnder200", ProviderType::openai, response_of(200, openrouter), none},
        {"GroqStream", ProviderType::openai, response_of(200, openai_text + groq_error, {}, true),
         none},
        {"AnthropicUnder200", ProviderType::anthropic, response_of(200, anthropic_error), none},
        {"AnthropicStream", ProviderType::anthropic,
         response_of(200, anthropic_start + event(anthropic_error), {}, true), none},
        // On a good status Anthropic's header says something else.
        {"AnthropicHeaderOf200", ProviderType::anthropic,
         response_of(200, anthropic_error, {{"retry-after", "50"}}), none},
        {"TgiBody", ProviderType::openai,
         response_of(200, R"({"error": "Model is overloaded", "error_type": "overloaded"})"), none},
        {"OllamaCloud", ProviderType::ollama, response_of(429, R"({"error": "too many requests"})"),
         none},
    };
}

TEST(AttemptEnd, IsThrottledForAsLongAsTheBodySays) {
    for (const Told& test : told()) {
        const CallEnd end = end_of(test.type, test.response);
        EXPECT_EQ(end.kind, Kind::throttled) << test.name;
        EXPECT_EQ(end.rest, test.rest) << test.name;
    }
}

TEST(AttemptEnd, IsOverloadedWhereverTheServerSaysSoForAsLongAsItSays) {
    for (const int status : {503, 529}) {
        EXPECT_EQ(end_of(status, {}).kind, Kind::overloaded);
        EXPECT_EQ(end_of(status, {}).rest, milliseconds(0));
        EXPECT_EQ(end_of(status, {{"retry-after", "3"}}).rest, milliseconds(3'000));
    }
    const std::string overloaded =
        R"({"type": "error", "error": {"type": "overloaded_error", "message": "m"}})";
    EXPECT_EQ(end_of(ProviderType::anthropic, response_of(200, overloaded)).kind, Kind::overloaded);
}

TEST(AttemptEnd, IsAFaultThatSaysNothingAboutLimitsForOtherErrorsOfTheServer) {
    for (const int status : {500, 502, 504}) {
        const CallEnd end = end_of(status, {{"retry-after", "3"}});
        EXPECT_EQ(end.kind, Kind::faulted);
        EXPECT_EQ(end.rest, milliseconds(0));
        EXPECT_FALSE(end.is_refused());
    }
}

TEST(AttemptEnd, TellsHowLongAnAnswerTookAndHowLongItIs) {
    WireResponse response = response_of(
        200, R"({"choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 5, "completion_tokens": 7}})");
    response.timings.dispatched = moment(1);
    response.timings.last_byte = moment(41);
    const CallEnd end = end_of(ProviderType::openai, response);
    EXPECT_EQ(end.kind, Kind::answered);
    EXPECT_EQ(end.service, milliseconds(40));
    EXPECT_EQ(end.output_tokens, 7);
    EXPECT_EQ(end_of(429, {}).service, std::nullopt);
    EXPECT_EQ(end_of(400, {}).service, std::nullopt) << "an error comes sooner than an answer";
}

TEST(AttemptEnd, IsAnsweredWhereNothingIsSaidAboutLimits) {
    EXPECT_EQ(end_of(400, {}).kind, Kind::answered);
    EXPECT_EQ(end_of(200, {}).kind, Kind::answered);  // malformed, but that is no limit
    EXPECT_EQ(end_of(200, {}).rest, milliseconds(0));
}

TEST(AttemptEnd, RestsWhereNothingRemains) {
    const http::Headers headers{{"x-ratelimit-limit-requests", "10"},
                                {"x-ratelimit-remaining-requests", "0"},
                                {"x-ratelimit-reset-requests", "20s"}};
    const CallEnd end = end_of(200, headers);
    EXPECT_EQ(end.kind, Kind::answered);
    EXPECT_EQ(end.rest, milliseconds(2'000));
}

}  // namespace
}  // namespace evalfleet::worker
