#include "common/providers/model_names.hpp"

#include <gtest/gtest.h>

namespace evalfleet::providers {
namespace {

using Type = ProviderType;

struct NameCase {
    Type type;
    const char* name;
    std::optional<std::string> version;
    const char* wire;
};

TEST(ModelNames, PutTheVersionWhereTheProviderWantsIt) {
    for (const NameCase& test : std::initializer_list<NameCase>{
             {Type::openai, "gpt-4o", "2024-08-06", "gpt-4o-2024-08-06"},
             {Type::openai, "gpt-4o-2024-08-06", "2024-08-06", "gpt-4o-2024-08-06"},
             {Type::openai, "gpt-4", "0613", "gpt-4-0613"},
             {Type::openai, "org/llama", "9f2c1e0", "org/llama"},
             {Type::openai, "sim", "1", "sim"},
             {Type::anthropic, "claude-sonnet-4-5", "2025-09-29", "claude-sonnet-4-5-20250929"},
             {Type::anthropic, "claude-opus-4-6", "4.6", "claude-opus-4-6"},
             {Type::gemini, "models/gemini-2.0-flash", "001", "gemini-2.0-flash-001"},
             {Type::gemini, "gemini-2.5-flash", "2.5", "gemini-2.5-flash"},
             {Type::ollama, "llama3.2", "3b", "llama3.2:3b"},
             {Type::ollama, "llama3.2:3b", "a80c4f17acd5", "llama3.2:3b"},
             {Type::ollama, "llama3.2", "sha256:a80c4f17acd5a80c", "llama3.2"},
             {Type::azure_openai, "my-deployment", "2024-08-06", "my-deployment"}}) {
        EXPECT_EQ(wire_model_name(test.type, test.name, test.version), test.wire);
    }
}

TEST(ModelNames, GiveThePartThatPinsThem) {
    struct Case {
        const char* name;
        std::optional<std::string> version;
    };
    for (const Case& test : std::initializer_list<Case>{
             {"gpt-4o-2024-08-06", "2024-08-06"},
             {"openai/gpt-4o-2024-08-06", "2024-08-06"},
             {"gpt-4-0613", "0613"},
             {"gpt-4-1106-preview", "1106-preview"},
             {"o3-2025-04-16", "2025-04-16"},
             {"claude-sonnet-4-20250514", "20250514"},
             {"claude-3-5-sonnet@20241022", "20241022"},
             {"anthropic.claude-3-5-sonnet-20241022-v2:0", "20241022-v2:0"},
             {"gemini-2.0-flash-001", "001"},
             {"mistral-large-2411", "2411"},
             {"command-r-08-2024", "08-2024"},
             {"llama3.1:8b-instruct-q4_0", "8b-instruct-q4_0"},
             {"name@sha256:a80c4f17acd5a80c", "sha256:a80c4f17acd5a80c"},
             {"ft:gpt-4o-mini-2024-07-18:acme::AbC1", "2024-07-18:acme::AbC1"},
             {"gpt-4o", std::nullopt},
             {"claude-opus-4-6", std::nullopt},
             {"gpt-3.5-turbo-16k", std::nullopt},
             {"mixtral-8x7b-32768", std::nullopt},
             {"llama3.1:latest", std::nullopt},
             {"name@latest", std::nullopt},
             {"author/model:free", std::nullopt},
             {"001", std::nullopt},
             {"x:", std::nullopt},
             {"", std::nullopt}}) {
        EXPECT_EQ(pinned_part(test.name), test.version) << test.name;
    }
}

TEST(ModelNames, HaveTheVersionThatTheRunFileGivesOrTheProviderHoldsFast) {
    Providers known;
    for (const auto& [name, type] : {std::pair("o", Type::openai), std::pair("a", Type::anthropic),
                                     std::pair("g", Type::gemini), std::pair("l", Type::ollama),
                                     std::pair("az", Type::azure_openai)}) {
        known[name].type = type;
    }
    const auto version = [&](const char* provider, const char* name,
                             std::optional<std::string> given = {}) {
        return pinned_version(known, {provider, name, std::move(given)});
    };
    EXPECT_EQ(version("o", "gpt-4o", "2024-08-06"), "2024-08-06");
    EXPECT_EQ(version("o", "gpt-4o-2024-08-06", "b7"), "b7") << "the run file's word";
    EXPECT_EQ(version("o", "gpt-4o-2024-08-06", ""), "2024-08-06");
    EXPECT_EQ(version("o", "gpt-5.6-sol"), "5.6-sol");
    EXPECT_EQ(version("o", "gpt-4o"), std::nullopt);
    EXPECT_EQ(version("a", "claude-opus-4-6"), "4-6");
    EXPECT_EQ(version("a", "claude-sonnet-4-5"), std::nullopt);
    EXPECT_EQ(version("g", "gemini-2.5-flash"), "2.5-flash");
    EXPECT_EQ(version("g", "gemini-flash-latest"), std::nullopt);
    EXPECT_EQ(version("l", "llama3.1:8b"), "8b");
    EXPECT_EQ(version("l", "llama3.1"), std::nullopt);
    EXPECT_EQ(version("az", "gpt-4o-2024-08-06"), std::nullopt) << "a deployment's name";
    EXPECT_EQ(version("nobody", "gpt-4o-2024-08-06"), "2024-08-06");
    EXPECT_EQ(version("nobody", "claude-opus-4-6"), std::nullopt);
}

struct PinCase {
    Type type;
    const char* name;
    std::optional<std::string> version;
};

TEST(ModelNames, KnowWhatIsPinned) {
    for (const PinCase& test :
         std::initializer_list<PinCase>{{Type::openai, "gpt-4o", "2024-08-06"},
                                        {Type::openai, "gpt-4o-2024-08-06", {}},
                                        {Type::openai, "gpt-4-0613", {}},
                                        {Type::openai, "openai/gpt-4o-2024-08-06", "1"},
                                        {Type::openai, "gpt-5.6-sol", "1"},
                                        {Type::openai, "meta-llama/Llama-3", "9f2c1e0"},
                                        {Type::openai, "gpt-oss-120b", "b52edd"},
                                        {Type::azure_openai, "prod", "gpt-4o-2024-08-06"},
                                        {Type::anthropic, "claude-sonnet-4-5", "20250929"},
                                        {Type::anthropic, "claude-3-5-sonnet-20241022", {}},
                                        {Type::anthropic, "claude-opus-4-6", {}},
                                        {Type::anthropic, "claude-sonnet-5", {}},
                                        {Type::gemini, "gemini-2.0-flash-001", {}},
                                        {Type::gemini, "gemini-2.5-flash", {}},
                                        {Type::ollama, "llama3.2:3b", {}},
                                        {Type::ollama, "llama3.2", "sha256:a80c4f17acd5a80c"}}) {
        EXPECT_EQ(floating_reason(test.type, {"p", test.name, test.version}), std::nullopt)
            << test.name;
    }
}

TEST(ModelNames, KnowWhatFloats) {
    for (const PinCase& test :
         std::initializer_list<PinCase>{{Type::openai, "gpt-4o", {}},
                                        {Type::openai, "gpt-4o", "1"},
                                        {Type::openai, "gpt-5.6", "5.6"},
                                        {Type::openai, "chat-latest", "1"},
                                        {Type::openai, "o3", "v1"},
                                        {Type::openai, "~openai/gpt-latest", "1"},
                                        {Type::openai, "meta/llama:nitro", "1"},
                                        {Type::openai, "sim", "latest"},
                                        {Type::openai, "sim", {}},
                                        {Type::azure_openai, "prod", {}},
                                        {Type::anthropic, "claude-sonnet-4-5", "4.5"},
                                        {Type::anthropic, "claude-3-5-haiku-latest", "1"},
                                        {Type::gemini, "gemini-flash-latest", "1"},
                                        {Type::gemini, "gemini-2.5-pro-preview-03-25", "1"},
                                        {Type::gemini, "gemini-2.0-flash-exp", "1"},
                                        {Type::ollama, "llama3.2", {}},
                                        {Type::ollama, "llama3.2:latest", "1"},
                                        {Type::ollama, "gpt-oss:120b-cloud", "1"}}) {
        EXPECT_TRUE(floating_reason(test.type, {"p", test.name, test.version})) << test.name;
    }
}

TEST(ModelNames, AreJudgedByTheTypeOfTheirProvider) {
    ProviderConfig claude;
    claude.type = Type::anthropic;
    const Providers known{{"claude", claude}};
    EXPECT_EQ(floating_reason(known, {"claude", "claude-opus-4-6", {}}), std::nullopt);
    EXPECT_TRUE(floating_reason(known, {"claude", "claude-sonnet-4-5", "1"}));
}

TEST(ModelNames, NeedAVersionWhereTheProviderIsNotKnown) {
    EXPECT_TRUE(floating_reason(Providers{}, {"p", "claude-opus-4-6", {}}));
    EXPECT_TRUE(floating_reason(Providers{}, {"p", "m", ""}));
    EXPECT_TRUE(floating_reason(Providers{}, {"p", "m", "latest"}));
    EXPECT_TRUE(floating_reason(Providers{}, {"p", "chat-latest", "1"}));
    EXPECT_EQ(floating_reason(Providers{}, {"p", "gpt-4o", "1"}), std::nullopt);
}

TEST(ModelNames, ReadTheGeneration) {
    EXPECT_EQ(claude_generation("claude-opus-4-6"), (ModelGeneration{4, 6}));
    EXPECT_EQ(claude_generation("claude-sonnet-4-5-20250929"), (ModelGeneration{4, 5}));
    EXPECT_EQ(claude_generation("claude-3-5-haiku-latest"), (ModelGeneration{3, 5}));
    EXPECT_EQ(claude_generation("claude-sonnet-4-20250514"), (ModelGeneration{4, 0}));
    EXPECT_EQ(claude_generation("gpt-4"), std::nullopt);
    EXPECT_EQ(gemini_generation("gemini-3.5-flash-lite"), (ModelGeneration{3, 5}));
    EXPECT_EQ(gemini_generation("gemini-flash-latest"), std::nullopt);
}

TEST(ModelNames, OfBedrockAndVertexArePinnedByTheirVersions) {
    const auto is_pinned = [](Type type, std::string name,
                              std::optional<std::string> version = {}) {
        return !floating_reason(type, {"p", std::move(name), std::move(version)});
    };
    EXPECT_TRUE(is_pinned(Type::bedrock, "amazon.nova-pro-v1:0"));
    EXPECT_TRUE(is_pinned(Type::bedrock, "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"));
    EXPECT_FALSE(
        is_pinned(Type::bedrock, "arn:aws:bedrock:eu:1:application-inference-profile/abc"));
    EXPECT_TRUE(is_pinned(Type::bedrock, "my-profile", "3"));
    EXPECT_TRUE(is_pinned(Type::vertex_anthropic, "claude-opus-4-5@20251101"));
    EXPECT_TRUE(is_pinned(Type::vertex_anthropic, "claude-opus-4-5", "2025-11-01"));
    EXPECT_FALSE(is_pinned(Type::vertex_anthropic, "claude-opus-4-5"));
    EXPECT_FALSE(is_pinned(Type::vertex_anthropic, "claude-opus-4-5@default"));
    EXPECT_TRUE(is_pinned(Type::vertex_anthropic, "claude-opus-4-6"));
    EXPECT_TRUE(is_pinned(Type::vertex_gemini, "gemini-2.5-flash"));
    EXPECT_FALSE(is_pinned(Type::command, "m"));
    EXPECT_EQ(claude_generation("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"),
              (ModelGeneration{4, 5}));
    EXPECT_EQ(claude_generation("claude-opus-4-5@20251101"), (ModelGeneration{4, 5}));
}

}  // namespace
}  // namespace evalfleet::providers
