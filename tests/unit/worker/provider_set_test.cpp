#include "worker/providers/provider_set.hpp"

#include "common/redaction/redactor.hpp"
#include "worker/call/model_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

Result<ProviderSet> create(std::string_view yaml) {
    const auto configs = providers::read_providers_text(yaml, "p.yaml");
    const auto environment = [](const std::string& name) -> std::optional<std::string> {
        if (name == "KEY") return "key-of-a";
        return std::nullopt;
    };
    return ProviderSet::blocking_create(configs.value(), environment);
}

TEST(ProviderSet, HoldsProvidersByNameWithTheirKeys) {
    const auto set = create(
        "providers: {b: {type: openai, base_url: 'http://b'}, a: {type: "
        "openai, base_url: 'http://a', api_key_env: KEY}}");
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->find("a")->key->blocking_current({}), "key-of-a");
    EXPECT_EQ(set->find("b")->key->blocking_current({}), "");
    EXPECT_NE(set->find("a")->protocol, nullptr);
    EXPECT_EQ(set->find("c"), nullptr);
    EXPECT_EQ(set->names(), "a, b");
    EXPECT_EQ(redaction::Redactor::sharing(set->secrets()).redact("key-of-a key-of-b").text,
              "[REDACTED:secret] key-of-b");
}

TEST(ProviderSet, NamesEverythingThatCannotWork) {
    const auto set = create(
        "providers: {a: {type: anthropic, base_url: 'http://a', api_key_file: /none}, b: {type: "
        "openai, base_url: 'http://b', api_key_env: NONE}}");
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, HasSubstr("provider a: api_key_file"));
    EXPECT_THAT(set.error().message, HasSubstr("provider b: api_key_env"));
}

TEST(ProviderSet, AddsTheOperatorsHeadersAndMembersToRequestsAndKeepsTheirSecrets) {
    const auto set = create(
        "providers: {a: {type: openai, base_url: 'http://a', headers: {X-Title: eval, "
        "Authorization: {env: KEY, prefix: 'Bearer '}}, extra_body: {route: x}}}");
    ASSERT_TRUE(set) << set.error().message;
    ModelRequest question{.model = "m",
                          .version = {},
                          .messages = {{job::MessageRole::user, "hi"}},
                          .generation = {}};
    question.generation.extra = job::JsonObject{R"({"top_k":5})"};
    const ModelCall call = ModelCall::make(*set->find("a"), question);
    EXPECT_EQ(call.request.http.headers.find("x-title"), "eval");
    EXPECT_EQ(call.request.http.headers.find("authorization"), "Bearer key-of-a");
    EXPECT_THAT(call.request.http.body, HasSubstr(R"("route":"x","top_k":5})"));
    EXPECT_THAT(call.request.http.body, HasSubstr(R"({"model":"m","messages")"));
    EXPECT_EQ(redaction::Redactor::sharing(set->secrets()).redact("key-of-a").text,
              "[REDACTED:secret]");
    const auto missing =
        create("providers: {a: {type: openai, base_url: 'http://a', headers: {X-A: {env: NONE}}}}");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("provider a: headers.X-A: "));
}

}  // namespace
}  // namespace evalfleet::worker
