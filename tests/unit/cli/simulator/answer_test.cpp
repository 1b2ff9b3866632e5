#include "cli/simulator/answer.hpp"

#include "cli/simulator/judge.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

std::string fitted(std::string text, std::uint64_t tokens) {
    fit_to_tokens(text, tokens);
    return text;
}

TEST(FitToTokens, GivesATextItsLength) {
    EXPECT_EQ(fitted("one two", 5), "one two one two one.");
    EXPECT_EQ(fitted("one", 1), "one.");
    EXPECT_EQ(fitted("12345678", 2), "12345678");
    EXPECT_EQ(fitted("äöüäöü", 2), "äöüä");
    EXPECT_EQ(fitted("", 2), "");
}

TEST(FitToTokens, LeavesTheJudgesScoresAsTheyWere) {
    const std::string right = "The capital of France is Paris";
    for (const std::uint64_t tokens : {8U, 9U, 10U, 11U, 50U, 301U}) {
        const std::string answer = fitted(right, tokens);
        EXPECT_TRUE(answer.starts_with(right));
        JudgePrompt prompt;
        prompt.task = "Which one?";
        prompt.reference_answer = right;
        prompt.candidate_answer = answer;
        EXPECT_EQ(judge(prompt), (Verdict{2, 2})) << answer;
    }
}

}  // namespace
}  // namespace evalfleet::simulator
