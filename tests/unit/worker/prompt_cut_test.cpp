#include "worker/trial/prompt_cut.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using Messages = std::vector<job::Message>;

/// So many words of five bytes, each with a blank behind it; none of them is a token and a half.
Messages words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += "words ";
    return {{job::MessageRole::user, std::move(text)}};
}

/// So many bytes without a blank.
Messages bytes(std::size_t count) {
    return {{job::MessageRole::system, "Be brief."},
            {job::MessageRole::user, std::string(count, 'x')}};
}

Usage counted(std::int64_t tokens) {
    Usage usage;
    usage.input_tokens = tokens;
    return usage;
}

TEST(PromptCut, ShowsInACountBelowTheNumberOfWords) {
    EXPECT_TRUE(was_prompt_cut(words(4'500), counted(4'200), {}));
    EXPECT_FALSE(was_prompt_cut(words(4'500), counted(4'500), {})) << "estimated at 6,750";
    EXPECT_FALSE(was_prompt_cut(words(4'500), counted(7'000), {}));
}

TEST(PromptCut, ShowsInACountThatIsTheWholeContext) {
    EXPECT_TRUE(was_prompt_cut(bytes(4 * 5'000), counted(4'096), {})) << "a default";
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 5'000), counted(4'000), {})) << "texts differ";
    EXPECT_TRUE(was_prompt_cut(bytes(4 * 6'500), counted(6'000), 6'000));
    EXPECT_TRUE(was_prompt_cut(bytes(4 * 6'500), counted(5'996), 6'000));
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 6'500), counted(5'900), 6'000)) << "there was room";
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 4'000), counted(4'096), {})) << "it may have that many";
    EXPECT_TRUE(was_prompt_cut(bytes(4 * 600), counted(512), 512)) << "a small one";
}

TEST(PromptCut, ShowsInACountThatNoTextOfThatLengthHas) {
    EXPECT_TRUE(was_prompt_cut(bytes(4 * 10'000), counted(5'000), {}));
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 10'000), counted(12'000), {}));
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 10'000), counted(30), {})) << "the rest was in its cache";
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 10'000), {}, {}));
}

TEST(PromptCut, IsClearFromTheContextAloneWhereNothingIsCounted) {
    EXPECT_TRUE(was_prompt_cut(bytes(50'000), {}, 8'192));
    EXPECT_TRUE(was_prompt_cut(words(8'500), {}, 8'192));
    EXPECT_FALSE(was_prompt_cut(bytes(4 * 9'000), {}, 8'192)) << "it may fit";
}

TEST(PromptCut, IsOllamasInBothProtocols) {
    Provider provider;
    const ModelRequest question{
        .model = "m", .version = {}, .messages = words(4'500), .generation = {}};
    CallOutcome outcome;
    outcome.usage = counted(4'096);
    outcome.reply.emplace();
    EXPECT_FALSE(was_prompt_cut(provider, question, outcome));
    outcome.reply->system_fingerprint = "fp_ollama";
    EXPECT_TRUE(was_prompt_cut(provider, question, outcome));
    outcome.reply.reset();
    provider.type = providers::ProviderType::ollama;
    EXPECT_TRUE(was_prompt_cut(provider, question, outcome));
}

}  // namespace
}  // namespace evalfleet::worker
