#include "coordinator/views/curl_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::views {
namespace {

using providers::ProviderType;
using ::testing::HasSubstr;
using ::testing::Not;

CurlCall call(ProviderType type, std::string base = "https://api.example") {
    CurlCall made;
    made.type = type;
    made.base_url = std::move(base);
    made.key_variable = "THE_KEY";
    made.api_version = "2024-06-01";
    made.model = "m/1";
    made.messages = {{job::MessageRole::system, "Be brief."}, {job::MessageRole::user, "It's?"}};
    made.params.max_tokens = 7;
    made.params.temperature = 0;
    return made;
}

TEST(CurlCommand, QuotesEveryTextForTheShell) {
    EXPECT_EQ(shell_quote("a'b$(c)`d`\\"), R"('a'\''b$(c)`d`\')");
    const std::string command = curl_command(call(ProviderType::openai));
    EXPECT_THAT(command, HasSubstr(R"("content":"It'\''s?")"));
    EXPECT_THAT(command, HasSubstr("\"Authorization: Bearer $THE_KEY\""));
}

TEST(CurlCommand, GoesWhereTheWorkersGo) {
    EXPECT_THAT(curl_command(call(ProviderType::openai, "https://a/v1")),
                HasSubstr("'https://a/v1/chat/completions'"));
    EXPECT_THAT(curl_command(call(ProviderType::anthropic)),
                HasSubstr("'https://api.example/v1/messages'"));
    EXPECT_THAT(curl_command(call(ProviderType::anthropic, "https://a/v1")),
                HasSubstr("'https://a/v1/messages'"));
    EXPECT_THAT(curl_command(call(ProviderType::gemini)),
                HasSubstr("'https://api.example/v1beta/models/m%2F1:generateContent'"));
    EXPECT_THAT(curl_command(call(ProviderType::ollama)),
                HasSubstr("'https://api.example/api/chat'"));
    EXPECT_THAT(curl_command(call(ProviderType::azure_openai)),
                HasSubstr("/openai/deployments/m%2F1/chat/completions?api-version=2024-06-01'"));
}

TEST(CurlCommand, KnowsEveryProtocolThatIsHttp) {
    for (const providers::ProtocolTraits& protocol : providers::kProtocols) {
        const bool is_http = protocol.type != ProviderType::command;
        EXPECT_EQ(curl_command(call(protocol.type)).starts_with("curl 'https://api.example/"),
                  is_http)
            << protocol.name;
    }
}

TEST(CurlCommand, SendsATokenWhereTheProtocolTakesNoKey) {
    EXPECT_THAT(curl_command(call(ProviderType::vertex_anthropic)),
                HasSubstr("\"Authorization: Bearer $THE_KEY\""));
}

TEST(CurlCommand, SendsNoKeyWhereNoneIsNeeded) {
    CurlCall local = call(ProviderType::ollama);
    local.key_variable.clear();
    EXPECT_THAT(curl_command(local), Not(HasSubstr("Authorization")));
}

TEST(CurlCommand, PutsTheSystemPromptWhereTheProtocolHasIt) {
    EXPECT_THAT(curl_command(call(ProviderType::anthropic)),
                HasSubstr(R"("system":"Be brief.","messages":[{"role":"user")"));
    EXPECT_THAT(curl_command(call(ProviderType::gemini)),
                HasSubstr(R"("systemInstruction":{"parts":[{"text":"Be brief."}]})"));
}

}  // namespace
}  // namespace evalfleet::views
