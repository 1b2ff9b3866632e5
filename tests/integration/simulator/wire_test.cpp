#include "tests/integration/simulator/simulator_fixture.hpp"

namespace evalfleet::simulator {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One way to ask one provider, and what its answer must show.
struct WireCase {
    const char* name;
    const char* path;
    const char* body;
    const char* content_type;
    const char* holds;       ///< of the answer
    const char* ends;        ///< the answer with
    const char* limit_sign;  ///< of an error with status 429
};

// NOLINTNEXTLINE: gtest finds it by this name.
void PrintTo(const WireCase& wire, std::ostream* out) {
    *out << wire.name;
}

constexpr const char* kMessages = R"({"model":"m","max_tokens":50,)"
                                  R"("messages":[{"role":"user","content":"What is it?"}]})";
constexpr const char* kMessagesStreamed =
    R"({"model":"m","max_tokens":50,"stream":true,)"
    R"("messages":[{"role":"user","content":"What is it?"}]})";
constexpr const char* kMessagesWhole = R"({"model":"m","max_tokens":50,"stream":false,)"
                                       R"("messages":[{"role":"user","content":"What is it?"}]})";
constexpr const char* kContents = R"({"contents":[{"parts":[{"text":"What is it?"}]}]})";

class SimulatorWire : public SimulatorTest, public ::testing::WithParamInterface<WireCase> {};

TEST_P(SimulatorWire, AnswersAndRefusesInTheProvidersShape) {
    const WireCase& wire = GetParam();
    serve({}, [&](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        const http::Headers plain{{"anthropic-version", "2023-06-01"}};
        auto call = post(client, url + wire.path, wire.body, plain);
        const auto answered = co_await std::move(call);
        EXPECT_TRUE(answered);
        if (!answered) co_return;
        EXPECT_EQ(answered->status, 200) << answered->body;
        EXPECT_THAT(std::string(answered->headers.find("Content-Type").value_or("")),
                    StartsWith(wire.content_type));
        EXPECT_THAT(answered->body, HasSubstr("simulated/m"));
        EXPECT_THAT(answered->body, HasSubstr(wire.holds));
        EXPECT_THAT(answered->body, EndsWith(wire.ends));

        const http::Headers limited{{"anthropic-version", "2023-06-01"},
                                    {"x-simulate", "status=429 retry_after=3"}};
        auto again = post(client, url + wire.path, wire.body, limited);
        const auto refused = co_await std::move(again);
        EXPECT_EQ(refused.value().status, 429);
        EXPECT_EQ(refused.value().headers.find("Retry-After"), "3");
        EXPECT_THAT(refused.value().body, HasSubstr(wire.limit_sign));
    });
}

INSTANTIATE_TEST_SUITE_P(
    Protocols, SimulatorWire,
    ::testing::Values(
        WireCase{"openai", "/v1/chat/completions", kMessages, "application/json",
                 R"("object":"chat.completion")", "}", R"("code":"rate_limit_exceeded")"},
        WireCase{"openai_stream", "/v1/chat/completions", kMessagesStreamed, "text/event-stream",
                 R"("object":"chat.completion.chunk")", "data: [DONE]\n\n", R"("type":"requests")"},
        WireCase{"azure", "/openai/deployments/m/chat/completions?api-version=2024-10-21",
                 kMessages, "application/json", "content_filter_results", "}", R"("code":"429")"},
        WireCase{"azure_v1_stream", "/openai/v1/chat/completions", kMessagesStreamed,
                 "text/event-stream", "prompt_filter_results", "data: [DONE]\n\n",
                 R"("code":"429")"},
        WireCase{"anthropic", "/v1/messages", kMessages, "application/json",
                 R"("stop_reason":"end_turn")", "}", R"("type":"rate_limit_error")"},
        WireCase{"anthropic_stream", "/v1/messages", kMessagesStreamed, "text/event-stream",
                 "event: content_block_delta\n",
                 "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
                 R"("type":"rate_limit_error")"},
        WireCase{"gemini", "/v1beta/models/m:generateContent", kContents, "application/json",
                 R"("finishReason":"STOP")", "}", "RESOURCE_EXHAUSTED"},
        WireCase{"gemini_stream", "/v1beta/models/m:streamGenerateContent?alt=sse", kContents,
                 "text/event-stream", R"("finishReason":"STOP")", "\r\n\r\n",
                 R"("retryDelay":"3s")"},
        WireCase{"gemini_array", "/v1beta/models/m:streamGenerateContent", kContents,
                 "application/json", R"("finishReason":"STOP")", "]\n", "RESOURCE_EXHAUSTED"},
        WireCase{"ollama", "/api/chat", kMessagesWhole, "application/json", R"("done":true)", "}",
                 R"("error":")"},
        WireCase{"ollama_stream", "/api/chat", kMessages, "application/x-ndjson", R"("done":false)",
                 "}\n", R"("error":")"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(SimulatorTest, RefusesAMessageWithoutContent) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        for (const char* message : {R"({"role":"user"})", R"({"role":"user","content":null})"}) {
            const std::string body =
                R"({"model":"m","max_tokens":50,"messages":[)" + std::string(message) + "]}";
            for (const char* path : {"/v1/chat/completions", "/v1/messages", "/api/chat"}) {
                auto call = post(client, url + path, body, {{"anthropic-version", "2023-06-01"}});
                const auto refused = co_await std::move(call);
                EXPECT_EQ(refused.value().status, 400) << path << message;
                EXPECT_THAT(refused.value().body, HasSubstr("content")) << path << message;
            }
        }
    });
}

TEST_F(SimulatorTest, ListsModelsAsEachProviderDoes) {
    serve({}, [this](http::Client& client, const std::string& url) -> asio::awaitable<void> {
        const std::vector<std::pair<std::string, std::string>> lists{
            {"/v1/models", R"("object":"list")"},
            {"/v1/models/gpt-x", R"("id":"gpt-x")"},
            {"/v1beta/models", R"("name":"models/simulated/any")"},
            {"/api/tags", R"("digest":")"},
            {"/api/version", R"("version":")"}};
        for (const auto& [path, sign] : lists) {
            http::Request request;
            request.url = http::Url::parse(url + path).value();
            auto call = client.send(std::move(request), {});
            const auto response = co_await std::move(call);
            EXPECT_EQ(response.value().status, 200) << path;
            EXPECT_THAT(response.value().body, HasSubstr(sign));
        }
    });
}

}  // namespace
}  // namespace evalfleet::simulator
