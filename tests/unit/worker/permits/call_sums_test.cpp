#include "worker/permits/call_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evalfleet::worker {
namespace {

/// Calls whose time is `factor` times that of their tokens, and a window of another length.
ServiceSums window(double factor, double shortest, double longest, int calls = 40) {
    ServiceSums sums;
    for (int i = 0; i < calls; ++i) {
        const double tokens = shortest + (longest - shortest) * i / calls;
        sums.add(factor * tokens * 10, tokens);
    }
    return sums;
}

TEST(CallSums, AddUpAndKeepTheLongestRest) {
    CallSums one;
    one.longest_rest_ms = 500;
    one.answered = 3;
    one.throttled = 1;
    one.service[0].add(100, 10);
    CallSums other;
    other.longest_rest_ms = 200;
    other.overloaded = 2;
    other.timed_out = 4;
    other.waited = 5;
    other.refused_ms = 6;
    other.service[1].add(200, 20);
    one.add(other);
    EXPECT_EQ(one.longest_rest_ms, 500);
    EXPECT_EQ(one.refused(), 7);
    EXPECT_EQ(one.total(), 10);
    EXPECT_EQ(one.waited, 5);
    EXPECT_EQ(one.refused_ms, 6);
    EXPECT_EQ(count_calls(one.service), 2);
    EXPECT_EQ(one.service[1], other.service[1]);
}

TEST(CallSums, OfTheLaterEpochCountAlone) {
    CallSums earlier{.epoch = 1, .throttled = 5};
    CallSums later{.epoch = 2, .answered = 3};
    CallSums sums = earlier;
    sums.add(later);
    EXPECT_EQ(sums, later);
    sums.add(earlier);
    EXPECT_EQ(sums, later);
}

TEST(CallSums, SurviveTheWayThroughText) {
    CallSums sums;
    EXPECT_TRUE(sums.empty());
    sums.answered = 3;
    sums.longest_rest_ms = 0.1;
    sums.service[1].add(123.4, 7);
    EXPECT_FALSE(sums.empty());
    EXPECT_EQ(CallSums::parse(sums.text()), sums);
    EXPECT_EQ(sums.text().substr(0, 8), "0,0.1,3,") << "Redis relies on the first two";
    for (const std::string& text : {std::string(), std::string("1,2"), sums.text() + ",1"})
        EXPECT_FALSE(CallSums::parse(text)) << text;
}

TEST(TypicalTime, IsAGeometricMeanOfAllCalls) {
    ServiceByPurpose sums{};
    EXPECT_EQ(typical_ms(sums), 0);
    sums[0].add(100 - ServiceSums::kSlackMs, 0);
    sums[1].add(400 - ServiceSums::kSlackMs, 0);
    EXPECT_NEAR(typical_ms(sums), 200 - ServiceSums::kSlackMs, 1e-6);
}

TEST(CompareWindows, TellsBySoMuchTimesDiffer) {
    const auto change = compare({window(1, 100, 100)}, {window(2, 100, 100)});
    ASSERT_TRUE(change);
    EXPECT_NEAR(change->log_ratio, std::log(2), 0.01);
    EXPECT_LT(change->error, 0.05);
}

TEST(CompareWindows, TakesLongerAnswersIntoAccount) {
    const auto same = compare({window(1, 20, 200)}, {window(1, 200, 2'000)});
    ASSERT_TRUE(same);
    EXPECT_NEAR(same->log_ratio, 0, 0.05) << "ten times as long, for ten times the tokens";
    const auto slower = compare({window(1, 20, 200)}, {window(2, 200, 2'000)});
    EXPECT_NEAR(slower->log_ratio, std::log(2), 0.05);
}

TEST(CompareWindows, ComparesAnswersWithAnswersAndVerdictsWithVerdicts) {
    const ServiceSums answers = window(1, 100, 100);
    const ServiceSums verdicts = window(10, 100, 100);
    const ServiceSums few_verdicts = window(10, 100, 100, 4);
    const auto change = compare({answers, few_verdicts}, {answers, verdicts});
    ASSERT_TRUE(change);
    EXPECT_NEAR(change->log_ratio, 0, 1e-9) << "there are more verdicts, but none takes longer";
    EXPECT_FALSE(compare({answers, {}}, {ServiceSums{}, verdicts})) << "nothing in common";
}

TEST(CompareWindows, IsLessSureOfFewCallsAndOfCallsThatVary) {
    const auto few = compare({window(1, 100, 100, 2)}, {window(1, 100, 100, 2)});
    const auto many = compare({window(1, 100, 100, 200)}, {window(1, 100, 100, 200)});
    EXPECT_GT(few->error, 5 * many->error);
    ServiceSums varied;
    for (int i = 0; i < 200; ++i)
        varied.add(i % 2 == 0 ? 100 : 1'000, 0);
    EXPECT_GT(compare({varied}, {varied})->error, 5 * many->error);
}

}  // namespace
}  // namespace evalfleet::worker
