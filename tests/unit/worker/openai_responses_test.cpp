#include "worker/providers/openai_responses.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"
#include "worker/providers/openai_completions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUrl = "https://api.openai.com/v1";

std::string whole(const std::string& status, const std::string& content,
                  const std::string& more = "") {
    return R"({"id":"resp_1","object":"response","status":")" + status +
           R"(","error":null,"model":"gpt-x","output":[{"type":"reasoning","summary":[]},)" +
           R"({"type":"message","role":"assistant","content":[)" + content + R"(]}],)" + more +
           R"("usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},)"
           R"("output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":29}})";
}

const std::string kText = R"({"type":"output_text","text":"Paris.","annotations":[]})";

std::string event(const std::string& type, const std::string& members) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
}

TEST(OpenAiResponses, AsksWithMessagesAndStoresNothing) {
    ModelRequest request = question("gpt-4o", "2024-08-06");
    request.generation.response_format = job::ResponseFormat{R"({"type":"object"})"};
    request.generation.stop = job::StopSequences{{"END"}};
    request.generation.reasoning_effort = "low";
    const WireRequest wire = make(OpenAiResponses(), kUrl, request);
    EXPECT_EQ(wire.http.url.target, "/v1/responses");
    EXPECT_THAT(wire.http.body,
                HasSubstr(R"({"model":"gpt-4o-2024-08-06","input":[{"role":"system",)"
                          R"("content":"Be brief."},{"role":"user")"));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("max_output_tokens":64,"text":{"format":{"type":)"
                                          R"("json_schema","name":"answer","schema":)"
                                          R"({"type":"object"},"strict":true}},)"
                                          R"("reasoning":{"effort":"low"},"store":false)"));
    EXPECT_THAT(wire.http.body, Not(HasSubstr("seed")));
    EXPECT_THAT(wire.refused_parameters, ElementsAre("seed", "stop"));
}

TEST(OpenAiResponses, ReadsAWholeResponse) {
    const auto reply = OpenAiResponses().read_reply({}, whole("completed", kText + "," + kText));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.Paris.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->model_reported, "gpt-x");
    EXPECT_EQ(reply->request_id, "resp_1");
    EXPECT_EQ(reply->usage, (Usage{20, 9, 8, std::nullopt, 4}));
}

TEST(OpenAiResponses, TellsWhyAResponseIsIncompleteOrRefused) {
    const auto cut = OpenAiResponses().read_reply(
        {}, whole("incomplete", kText, R"("incomplete_details":{"reason":"max_output_tokens"},)"));
    EXPECT_EQ(cut->finish_reason, "length");
    const auto filtered = OpenAiResponses().read_reply(
        {}, whole("incomplete", "", R"("incomplete_details":{"reason":"content_filter"},)"));
    EXPECT_EQ(filtered->finish_reason, "content_filter");
    EXPECT_EQ(filtered->answer, "");
    const auto refused = OpenAiResponses().read_reply(
        {}, whole("completed", R"({"type":"refusal","refusal":"No."})"));
    EXPECT_EQ(refused->answer, "No.");
    EXPECT_EQ(refused->finish_reason, "refusal");
    const auto failed = OpenAiResponses().read_reply(
        {}, R"({"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}})");
    EXPECT_EQ(failed->refusal->status, 429);
    EXPECT_FALSE(OpenAiResponses().read_reply({}, R"({"choices":[]})"));
}

TEST(OpenAiResponses, ReadsAStreamToItsEnd) {
    const std::vector<std::string> pieces{
        event("response.created", R"("response":{"id":"resp_1","status":"in_progress"})"),
        event("response.output_text.delta", R"("delta":"Par")"),
        event("response.output_text.delta", R"("delta":"is.")"),
        event("response.completed", R"("response":)" + whole("completed", kText))};
    const auto reply = stream(OpenAiResponses(), pieces);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(1));
    EXPECT_EQ(reply->usage.reasoning_tokens, 4);
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(stream(OpenAiResponses(), {pieces[0], pieces[1]}).error().kind, ErrorKind::transient);
    EXPECT_EQ(stream(OpenAiResponses(), {pieces[0], pieces[3]})->answer, "Paris.");
    const auto unended = stream(
        OpenAiResponses(),
        {pieces[0], pieces[1], pieces[2],
         event("response.output_item.done", R"("item":{"type":"message","status":"completed"})")});
    ASSERT_TRUE(unended) << "a message that says that it is complete";
    EXPECT_EQ(unended->answer, "Paris.");
    EXPECT_EQ(unended->finish_reason, "stop");
    EXPECT_EQ(unended->request_id, "resp_1");
    EXPECT_FALSE(stream(OpenAiResponses(),
                        {pieces[1], event("response.output_item.done",
                                          R"("item":{"type":"reasoning","status":"completed"})")}));
    const auto failed =
        stream(OpenAiResponses(),
               {pieces[1], event("error", R"("code":"server_is_overloaded","message":"busy")")});
    EXPECT_EQ(failed->refusal->status, 503);
    const auto broken =
        stream(OpenAiResponses(),
               {event("response.failed",
                      R"("response":{"error":{"code":"rate_limit_exceeded","message":"slow"}})")});
    EXPECT_EQ(broken->refusal->status, 429);
}

TEST(OpenAiCompletions, SendsThePromptAloneAndReadsItsText) {
    ModelRequest request = question("base", "2024-08-06");
    request.messages = {{job::MessageRole::user, "2 + 2 ="}};
    const WireRequest wire = make(OpenAiCompletions(), kUrl, request);
    EXPECT_EQ(wire.http.url.target, "/v1/completions");
    EXPECT_THAT(wire.http.body, HasSubstr(R"("prompt":"2 + 2 =","temperature":0.5)"));
    EXPECT_THAT(make(OpenAiCompletions(), kUrl, question("m")).http.body,
                HasSubstr(R"("prompt":"Be brief.\n\nHello\n\nHi\n\nCapital of France?\n")"));
    const auto reply = OpenAiCompletions().read_reply(
        {}, R"({"id":"c","model":"base","choices":[{"text":" 4","finish_reason":"stop"}],)"
            R"("usage":{"prompt_tokens":5,"completion_tokens":1}})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, " 4");
    EXPECT_EQ(reply->usage.input_tokens, 5);
    const auto streamed =
        stream(OpenAiCompletions(),
               {"data: {\"choices\":[{\"text\":\" 4\"}]}\n\n",
                "data: {\"choices\":[{\"text\":\"!\",\"finish_reason\":\"stop\"}]}\n\n",
                "data: [DONE]\n\n"});
    EXPECT_EQ(streamed->answer, " 4!");
    EXPECT_EQ(streamed->first_token_at, moment(0));
}

}  // namespace
}  // namespace evalfleet::worker
