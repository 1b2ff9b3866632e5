#include "worker/permits/token_guess.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

TEST(TokenGuess, TakesTheLongestAnswerUntilItHasSeenSome) {
    TokenGuess guess;
    EXPECT_EQ(guess.guess(400, 1024), 100 + 1024);
    for (int i = 0; i < 9; ++i)
        guess.learn(50);
    EXPECT_EQ(guess.guess(400, 1024), 100 + 1024);
}

TEST(TokenGuess, ComesCloseToWhatAnswersAreLike) {
    TokenGuess guess;
    for (int i = 0; i < 200; ++i)
        guess.learn(i % 2 == 0 ? 40 : 60);
    EXPECT_GE(guess.guess(0, 1024), 60);
    EXPECT_LE(guess.guess(0, 1024), 90);
    EXPECT_EQ(guess.guess(0, 30), 30) << "never more than it may be";
    for (int i = 0; i < 400; ++i)
        guess.learn(500);
    EXPECT_GE(guess.guess(0, 1024), 480) << "and follows when they change";
}

TEST(TokenGuess, StandsNonsense) {
    TokenGuess guess;
    for (int i = 0; i < 20; ++i)
        guess.learn(-5);
    EXPECT_EQ(guess.guess(0, 100), 0);
}

}  // namespace
}  // namespace evalfleet::worker
