#include "worker/providers/ollama_chat.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kUrl = "http://localhost:11434";

const std::string kLine =
    R"({"model":"llama3.2:3b","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Par"},"done":false})"
    "\n";
const std::string kDone =
    R"({"model":"llama3.2:3b","message":{"role":"assistant","content":"is."},"done":true,"done_reason":"stop","total_duration":900000000,"load_duration":500000000,"prompt_eval_count":26,"prompt_eval_duration":100000000,"eval_count":8,"eval_duration":250000000})"
    "\n";

TEST(OllamaChat, SendsOptionsAndSaysWhetherToStream) {
    const WireRequest wire = make(OllamaChat(), kUrl, question("llama3.2", "3b"));
    EXPECT_EQ(wire.http.url.target, "/api/chat");
    EXPECT_THAT(wire.http.body, HasSubstr(R"("model":"llama3.2:3b")"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("stream":false)"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("options":{"temperature":0.5,"top_p":1.0,)"
                                          R"("num_predict":64,"seed":42})"));
}

TEST(OllamaChat, ReadsAReplyAndItsTimes) {
    const auto reply = OllamaChat().read_reply({}, kDone);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "is.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->usage, (Usage{26, 8, {}, {}}));
    EXPECT_EQ(reply->provider_time_ms, 350);
}

TEST(OllamaChat, ReadsAStreamOfLines) {
    const auto reply = stream(OllamaChat(), {kLine, kDone});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(0));
    EXPECT_EQ(reply->usage, (Usage{26, 8, {}, {}}));
    for (std::size_t size = 1; size < 50; ++size) {
        EXPECT_EQ(stream_cut(OllamaChat(), kLine + kDone, size)->answer, "Paris.");
    }
    const std::string without_line_feed = kDone.substr(0, kDone.size() - 1);
    EXPECT_TRUE(stream(OllamaChat(), {kLine, without_line_feed}));
}

TEST(OllamaChat, KnowsABrokenStreamAndAnErrorInIt) {
    for (const std::string& rest : {std::string(), kDone.substr(0, 40)}) {
        EXPECT_EQ(stream(OllamaChat(), {kLine, rest}).error().kind, ErrorKind::transient);
    }
    const auto said = stream(
        OllamaChat(), {kLine, R"({"message":{"content":""},"done_reason":"stop","eval_count":3})"});
    ASSERT_TRUE(said) << "it said why it ended";
    EXPECT_EQ(said->finish_reason, "stop");
    const auto reply =
        stream(OllamaChat(), {kLine, R"({"error":"llama runner process has terminated"})"});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 500);
}

TEST(OllamaChat, ReadsRefusals) {
    EXPECT_EQ(OllamaChat().read_refusal(404, {}, R"({"error":"model 'x' not found"})", {}).message,
              "HTTP 404: model 'x' not found");
}

TEST(OllamaChat, RefusesBodiesOfAnotherShape) {
    for (const char* body :
         {"", "null", "{}", R"({"message":5})", R"({"message":{"content":5}})"}) {
        EXPECT_FALSE(OllamaChat().read_reply({}, body)) << body;
    }
}

TEST(OllamaChat, AsksForTheFormOfAnAnswerAndWhereItStops) {
    ModelRequest request = question("llama3.2", "3b");
    request.generation.stop = job::StopSequences{{"END"}};
    request.generation.response_format.emplace();
    const std::string body = make(OllamaChat(), kUrl, request).http.body;
    EXPECT_THAT(body, HasSubstr(R"("format":"json")"));
    EXPECT_THAT(body, HasSubstr(R"("stop":["END"]})"));
    request.generation.response_format->json_schema = R"({"type":"object"})";
    EXPECT_THAT(make(OllamaChat(), kUrl, request).http.body,
                HasSubstr(R"("format":{"type":"object"})"));
}

TEST(OllamaChat, SaysHowMuchAModelShallThink) {
    ModelRequest request = question("llama3.2", "3b");
    request.generation.reasoning_effort = "low";
    EXPECT_THAT(make(OllamaChat(), kUrl, request).http.body, HasSubstr(R"("think":"low")"));
    request.generation.reasoning_effort = "none";
    EXPECT_THAT(make(OllamaChat(), kUrl, request).http.body, HasSubstr(R"("think":false)"));
}

}  // namespace
}  // namespace evalfleet::worker
