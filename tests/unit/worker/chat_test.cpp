#include "common/job/image.hpp"
#include "tests/unit/worker/protocol_fixtures.hpp"
#include "worker/providers/chat_turns.hpp"
#include "worker/providers/protocols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Chats with pictures, developers and tools, as each protocol sends them.
namespace evalfleet::worker {
namespace {

using job::MessageRole;
using providers::ProviderType;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kBytes = "\x89PNG\r\n\x1A\n.";
const std::string kBase64 = job::to_base64(kBytes);

ModelRequest with_picture() {
    job::Message message{MessageRole::user, "What?\n[image]"};
    message.parts = {{.text = "What?"}, {.image = job::make_image(kBytes).value()}};
    message.parts[1].image->detail = "low";
    return {.model = "m",
            .version = {},
            .messages = {{MessageRole::developer, "Be brief."}, message},
            .generation = {}};
}

ModelRequest with_tools() {
    job::Message asks{MessageRole::assistant, ""};
    asks.tool_calls = {{"c1", "weather", R"({"city":"Oslo"})"}, {"c2", "time", "{}"}};
    job::Message first{MessageRole::tool, "cold"};
    first.tool_call_id = "c1";
    job::Message second{MessageRole::tool, "noon"};
    second.tool_call_id = "c2";
    return {.model = "m",
            .version = {},
            .messages = {{MessageRole::user, "Oslo?"}, asks, first, second},
            .generation = {}};
}

std::string body(ProviderType type, const ModelRequest& request) {
    return make(find_protocol(type), "http://127.0.0.1:1", request).http.body;
}

TEST(ChatPictures, AreSentAsEachProtocolHasThem) {
    const std::string url = "data:image/png;base64," + kBase64;
    const std::map<ProviderType, std::string> expected{
        {ProviderType::openai, R"([{"type":"text","text":"What?"},{"type":"image_url",)"
                               R"("image_url":{"url":")" +
                                   url + R"(","detail":"low"}}])"},
        {ProviderType::openai_responses, R"([{"type":"input_text","text":"What?"},)"
                                         R"({"type":"input_image","image_url":")" +
                                             url + R"(","detail":"low"}])"},
        {ProviderType::anthropic, R"([{"type":"text","text":"What?"},{"type":"image","source":)"
                                  R"({"type":"base64","media_type":"image/png","data":")" +
                                      kBase64 + R"("}}])"},
        {ProviderType::gemini, R"("parts":[{"text":"What?"},{"inlineData":)"
                               R"({"mimeType":"image/png","data":")" +
                                   kBase64 + R"("}}])"},
        {ProviderType::bedrock, R"("content":[{"text":"What?"},{"image":{"format":"png",)"
                                R"("source":{"bytes":")" +
                                    kBase64 + R"("}}}])"},
        {ProviderType::ollama, R"("content":"What?","images":[")" + kBase64 + R"("])"},
    };
    const std::map<ProviderType, ProviderType> same{
        {ProviderType::azure_openai, ProviderType::openai},
        {ProviderType::command, ProviderType::openai},
        {ProviderType::vertex_anthropic, ProviderType::anthropic},
        {ProviderType::vertex_gemini, ProviderType::gemini}};
    for (const providers::ProtocolTraits& traits : providers::kProtocols) {
        if (!traits.has_images) continue;
        const auto other = same.find(traits.type);
        const ProviderType like = other == same.end() ? traits.type : other->second;
        EXPECT_THAT(body(traits.type, with_picture()), HasSubstr(expected.at(like))) << traits.name;
    }
}

TEST(ChatDevelopers, AreSystemPromptsWhereTheyAreNotKnown) {
    EXPECT_THAT(body(ProviderType::openai, with_picture()),
                HasSubstr(R"({"role":"developer","content":"Be brief."})"));
    EXPECT_THAT(body(ProviderType::openai_responses, with_picture()),
                HasSubstr(R"({"role":"developer","content":"Be brief."})"));
    EXPECT_THAT(body(ProviderType::ollama, with_picture()),
                HasSubstr(R"({"role":"system","content":"Be brief."})"));
    EXPECT_THAT(body(ProviderType::anthropic, with_picture()),
                HasSubstr(R"("system":"Be brief.")"));
    EXPECT_THAT(body(ProviderType::gemini, with_picture()),
                HasSubstr(R"("systemInstruction":{"parts":[{"text":"Be brief."}]})"));
    EXPECT_THAT(body(ProviderType::bedrock, with_picture()),
                HasSubstr(R"("system":[{"text":"Be brief."}])"));
    for (const ProviderType type :
         {ProviderType::anthropic, ProviderType::gemini, ProviderType::bedrock})
        EXPECT_THAT(body(type, with_picture()), Not(HasSubstr("developer")));
}

TEST(ChatTools, AreAnsweredAsEachProtocolHasIt) {
    const std::string openai = body(ProviderType::openai, with_tools());
    EXPECT_THAT(openai, HasSubstr(R"("tool_calls":[{"id":"c1","type":"function","function":)"
                                  R"({"name":"weather","arguments":"{\"city\":\"Oslo\"}"}})"));
    EXPECT_THAT(openai, HasSubstr(R"({"role":"tool","content":"cold","tool_call_id":"c1"})"));
    const std::string responses = body(ProviderType::openai_responses, with_tools());
    EXPECT_THAT(responses, HasSubstr(R"({"type":"function_call","call_id":"c2","name":"time",)"));
    EXPECT_THAT(responses, HasSubstr(R"({"type":"function_call_output","call_id":"c1",)"
                                     R"("output":"cold"})"));
    const std::string anthropic = body(ProviderType::anthropic, with_tools());
    EXPECT_THAT(anthropic, HasSubstr(R"({"type":"tool_use","id":"c1","name":"weather","input":)"
                                     R"({"city":"Oslo"}})"));
    EXPECT_THAT(anthropic,
                HasSubstr(R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",)"
                          R"("content":"cold"},{"type":"tool_result","tool_use_id":"c2",)"
                          R"("content":"noon"}]})"));
    const std::string gemini = body(ProviderType::gemini, with_tools());
    EXPECT_THAT(gemini, HasSubstr(R"({"functionCall":{"name":"weather","args":{"city":"Oslo"}}})"));
    EXPECT_THAT(gemini, HasSubstr(R"({"functionResponse":{"name":"time","response":)"
                                  R"({"result":"noon"}}})"));
    const std::string bedrock = body(ProviderType::bedrock, with_tools());
    EXPECT_THAT(bedrock, HasSubstr(R"({"toolUse":{"toolUseId":"c1","name":"weather","input":)"
                                   R"({"city":"Oslo"}}})"));
    EXPECT_THAT(bedrock, HasSubstr(R"({"toolResult":{"toolUseId":"c2","content":)"
                                   R"([{"text":"noon"}]}})"));
    const std::string ollama = body(ProviderType::ollama, with_tools());
    EXPECT_THAT(ollama,
                HasSubstr(R"({"function":{"name":"weather","arguments":{"city":"Oslo"}}})"));
    EXPECT_THAT(ollama, HasSubstr(R"({"role":"tool","content":"cold","tool_name":"weather"})"));
}

TEST(ChatTurns, PutWhatToolsGiveTogether) {
    const auto turns = turns_of(with_tools());
    ASSERT_EQ(turns.size(), 3U);
    EXPECT_TRUE(turns[1].is_assistant);
    EXPECT_EQ(turns[2].messages, (std::vector<std::size_t>{2, 3}));
}

TEST(ChatTurns, LeaveAPrefillAtTheEnd) {
    ModelRequest request = question("m");
    request.messages.push_back({MessageRole::assistant, "The capital is"});
    EXPECT_THAT(body(ProviderType::anthropic, request),
                HasSubstr(R"({"role":"assistant","content":"The capital is"}])"));
    EXPECT_THAT(body(ProviderType::ollama, request),
                HasSubstr(R"({"role":"assistant","content":"The capital is"}])"));
    EXPECT_THAT(body(ProviderType::openai_completions, request),
                HasSubstr(R"(France?\n\n\nThe capital is")"));
}

}  // namespace
}  // namespace evalfleet::worker
