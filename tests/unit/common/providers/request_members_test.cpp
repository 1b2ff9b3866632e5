#include "common/providers/request_members.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::providers {
namespace {

using ::testing::HasSubstr;

std::string fault(ProviderType type, std::string extra, std::optional<std::string> body = {}) {
    const auto found = extra_fault(type, body, job::JsonObject{std::move(extra)});
    return found ? found->message : "";
}

TEST(RequestMembers, MayBeAddedWhereTheyOverwriteNothing) {
    EXPECT_EQ(fault(ProviderType::openai, R"({"top_k": 5, "guided_regex": "a"})"), "");
    EXPECT_EQ(fault(ProviderType::ollama, R"({"options": {"num_ctx": 32768}})"), "");
    EXPECT_EQ(fault(ProviderType::gemini, R"({"safetySettings": []})"), "");
    EXPECT_EQ(fault(ProviderType::gemini,
                    R"({"generationConfig": {"thinkingConfig": {"includeThoughts": true}}})"),
              "");
    EXPECT_FALSE(extra_fault(ProviderType::openai, "{}", std::nullopt));
}

TEST(RequestMembers, OfGoogleHaveTwoSpellings) {
    for (const ProviderType type : {ProviderType::gemini, ProviderType::vertex_gemini}) {
        EXPECT_EQ(fault(type, R"({"generation_config":{"topK":1},"safety_settings":[]})"), "");
        EXPECT_THAT(fault(type, R"({"generation_config":{"top_p":1}})"),
                    HasSubstr("found generationConfig.topP, which requests have by themselves, "
                              "allowed: top_p instead"));
        EXPECT_THAT(
            fault(type, R"({"generationConfig":{"thinking_config":{"thinking_budget":1}}})"),
            HasSubstr("found generationConfig.thinkingConfig.thinkingBudget"));
        EXPECT_THAT(fault(type, R"({"system_instruction":{}})"),
                    HasSubstr("found systemInstruction"));
        EXPECT_THAT(fault(type, R"({"generationConfig":{"topK":1,"top_k":2}})"),
                    HasSubstr("both spellings"));
        EXPECT_THAT(fault(type, R"({"safety_settings":[]})", R"({"safetySettings":[]})"),
                    HasSubstr("found safetySettings, which the provider's extra_body has"));
    }
    EXPECT_EQ(in_one_spelling(ProviderType::gemini, R"({"generation_config":{"response_schema":)"
                                                    R"({"my_name":1}},"labels":{"a_b":"c"}})")
                  .value(),
              R"({"generationConfig":{"responseSchema":{"my_name":1}},"labels":{"a_b":"c"}})");
    EXPECT_EQ(fault(ProviderType::openai, R"({"top_k":1,"topK":2})"), "");
}

TEST(RequestMembers, AreRefusedWithTheNameThatTheyHaveInRunFiles) {
    EXPECT_THAT(fault(ProviderType::openai, R"({"max_completion_tokens": 5})"),
                HasSubstr("found max_completion_tokens, which requests have by themselves, "
                          "allowed: max_tokens instead"));
    EXPECT_THAT(fault(ProviderType::azure_openai, R"({"messages": []})"),
                HasSubstr("allowed: other members"));
    EXPECT_THAT(fault(ProviderType::anthropic, R"({"output_config": {"effort": "low"}})"),
                HasSubstr("found output_config.effort"));
    EXPECT_THAT(fault(ProviderType::ollama, R"({"options": {"seed": 1}})"),
                HasSubstr("found options.seed"));
    EXPECT_THAT(fault(ProviderType::ollama, R"({"options": 1})"), HasSubstr("found options, "));
    EXPECT_THAT(fault(ProviderType::openai, R"({"a": {"b": 1}})", R"({"a": {"b": 2, "c": 3}})"),
                HasSubstr("found a.b, which the provider's extra_body has"));
    EXPECT_EQ(fault(ProviderType::openai, R"({"a": {"b": 1}})", R"({"a": {"c": 3}})"), "");
}

TEST(RequestMembers, AreMergedDeep) {
    EXPECT_EQ(merge_objects(R"({"a":1,"o":{"x":1}})", R"({"o":{"y":[2]},"b":null})").value(),
              R"({"a":1,"o":{"x":1,"y":[2]},"b":null})");
    EXPECT_EQ(merge_objects(R"({"a":1})", R"({"a":2})").value(), R"({"a":1})");
    EXPECT_FALSE(merge_objects("[]", "{}"));
    EXPECT_FALSE(merge_objects("{}", "{"));
}

}  // namespace
}  // namespace evalfleet::providers
