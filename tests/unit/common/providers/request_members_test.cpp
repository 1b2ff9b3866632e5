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
    EXPECT_THAT(fault(ProviderType::gemini, R"({"generation_config":{"topK":1}})"),
                HasSubstr("found generation_config, which requests have by themselves"));
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
