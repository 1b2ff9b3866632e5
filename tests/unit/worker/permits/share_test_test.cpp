#include "worker/permits/share_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evalfleet::worker {
namespace {

TEST(ShareTest, IsOpenAtFirst) {
    ShareTest test;
    test.begin(0.03, 0.08);
    EXPECT_FALSE(test.shows_high());
    EXPECT_FALSE(test.shows_usual());
}

TEST(ShareTest, TakesAFewRefusalsWithoutAnyAnswerForAHighShare) {
    ShareTest test;
    test.begin(0.03, 0.08);
    test.add(5, 5);
    EXPECT_FALSE(test.shows_high());
    test.add(1, 1);
    EXPECT_TRUE(test.shows_high());
}

TEST(ShareTest, NeedsMoreCallsTheCloserTheSharesAre) {
    const auto calls_until_usual = [](double high) {
        ShareTest test;
        test.begin(0.01, high);
        int calls = 0;
        for (; !test.shows_usual(); ++calls)
            test.add(0, 1);
        return calls;
    };
    EXPECT_LT(calls_until_usual(0.5), 10);
    EXPECT_GT(calls_until_usual(0.05), 100);
}

TEST(ShareTest, AddsUpTheSameInOneGoAsOneByOne) {
    ShareTest one, all;
    one.begin(0.02, 0.1);
    all.begin(0.02, 0.1);
    for (int call = 0; call < 50; ++call)
        one.add(call % 10 == 0 ? 1 : 0, 1);
    all.add(5, 50);
    EXPECT_NEAR(one.evidence, all.evidence, 1e-9);
}

TEST(ShareTest, StandsSharesThatCannotBeToldApart) {
    ShareTest test;
    test.begin(1, 0);
    test.add(10, 20);
    EXPECT_TRUE(std::isfinite(test.evidence));
    EXPECT_GT(test.high, test.usual);
}

TEST(ShareTest, SaysNothingBeforeItBegan) {
    ShareTest test;
    test.add(10, 10);
    EXPECT_EQ(test.evidence, 0);
}

}  // namespace
}  // namespace evalfleet::worker
