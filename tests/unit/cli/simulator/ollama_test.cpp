#include "cli/simulator/protocols/ollama.hpp"

#include "tests/unit/cli/simulator/protocol_fixture.hpp"

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

TEST(Ollama, ReadsARequestAndStreamsByDefault) {
    const ChatRequest chat =
        read_request(Ollama(), R"({"model":"ll:8b","options":{"num_predict":9},)"
                               R"("messages":[{"role":"user","content":"Why?"}]})")
            .value();
    EXPECT_EQ(chat.model, "ll:8b");
    EXPECT_EQ(chat.prompt, "Why?");
    EXPECT_EQ(chat.max_tokens, 9);
    EXPECT_TRUE(chat.stream);
    const ChatRequest whole =
        read_request(Ollama(), R"({"model":"m","stream":false,"options":{"num_predict":-1},)"
                               R"("messages":[{"role":"user","content":"Why?"}]})")
            .value();
    EXPECT_FALSE(whole.stream);
    EXPECT_FALSE(whole.max_tokens);
}

TEST(Ollama, WritesAReplyWithItsTimesInNanoseconds) {
    const Json reply(Ollama().write(answer_of("It is."), 100ms));
    EXPECT_EQ(reply.at("model"), "simulated/m-1");
    EXPECT_EQ(reply.at("created_at"), "2023-11-14T22:13:20Z");
    EXPECT_EQ(reply.at("message.role"), "assistant");
    EXPECT_EQ(reply.at("message.content"), "It is.");
    EXPECT_EQ(reply.at("done"), "true");
    EXPECT_EQ(reply.at("done_reason"), "stop");
    EXPECT_EQ(reply.at("total_duration"), "100000000");
    EXPECT_EQ(reply.at("load_duration"), "1000000");
    EXPECT_EQ(reply.at("prompt_eval_count"), "20");
    EXPECT_EQ(reply.at("prompt_eval_duration"), "10000000");
    EXPECT_EQ(reply.at("eval_count"), "7");
    EXPECT_EQ(reply.at("eval_duration"), "89000000");
}

TEST(Ollama, StreamsLines) {
    const std::string stream = stream_of(Ollama(), answer_of("It is."));
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < stream.size();) {
        const auto end = stream.find('\n', begin);
        lines.push_back(stream.substr(begin, end - begin));
        begin = end + 1;
    }
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(Json(lines[0]).at("message.content"), "It");
    EXPECT_EQ(Json(lines[0]).at("done"), "false");
    EXPECT_EQ(Json(lines[0]).at("done_reason"), "(none)");
    EXPECT_EQ(Json(lines[0]).at("total_duration"), "(none)");
    EXPECT_EQ(Json(lines[2]).at("message.content"), "");
    EXPECT_EQ(Json(lines[2]).at("done"), "true");
    EXPECT_EQ(Json(lines[2]).at("eval_count"), "7");
    EXPECT_EQ(Ollama().stream_type(answer_of("")), "application/x-ndjson");
}

TEST(Ollama, TellsErrorsInItsShape) {
    EXPECT_EQ(Json(Ollama().write_error(failure_of(500))).at("error"), "simulated status 500");
    EXPECT_EQ(Ollama().status_of(FailureKind::busy), 503);
    EXPECT_EQ(Ollama().status_of(FailureKind::bad_key), 401);
}

TEST(Ollama, ListsItsModel) {
    const Json tags(Ollama::write_tags());
    EXPECT_EQ(tags.at("models.0.name"), "simulated/any:latest");
    EXPECT_EQ(tags.at("models.0.digest").size(), 64U);
    EXPECT_EQ(tags.at("models.0.details.family"), "simulated");
}

}  // namespace
}  // namespace evalfleet::simulator
