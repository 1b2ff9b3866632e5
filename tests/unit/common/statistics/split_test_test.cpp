#include "common/statistics/split_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace evalfleet::statistics {
namespace {

constexpr SplitPlan kPlan{1'000'000, 42};

std::vector<std::uint32_t> first(std::uint32_t count) {
    std::vector<std::uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0U);
    return places;
}

// `ones` of the first `part` values are 1, and `others` of the rest.
std::vector<double> passes(std::size_t part, std::size_t ones, std::size_t rest,
                           std::size_t others) {
    std::vector<double> values(part + rest, 0.0);
    std::fill_n(values.begin(), ones, 1.0);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(part), others, 1.0);
    return values;
}

TEST(SplitTest, CountsAllRearrangementsThatAreAsFarOut) {
    // Of the 15 pairs of these six values one is (1, 1).
    const auto test = split_test(std::array{1.0, 1.0, 0.0, 0.0, 0.0, 0.0}, first(2), kPlan);
    EXPECT_DOUBLE_EQ(test.difference, 1);
    EXPECT_NEAR(test.p_value, 1.0 / 15, 0.03);
}

TEST(SplitTest, IsFishersExactTestForPassesOfSingleTrials) {
    // 10 ones among 100, 6 of them among 20: hypergeometric, P(X >= 6) = 0.003933.
    const auto test = split_test(passes(20, 6, 80, 4), first(20), kPlan);
    EXPECT_NEAR(test.difference, 6.0 / 20 - 4.0 / 80, 1e-12);
    EXPECT_NEAR(test.p_value, 0.003933, 0.0015);
}

TEST(SplitTest, FindsNothingWherePartsAreEqualOrHaveNoSpread) {
    EXPECT_EQ(split_test(passes(20, 20, 80, 80), first(20), kPlan).p_value, 1);
    EXPECT_GT(split_test(passes(20, 20, 80, 76), first(20), kPlan).p_value, 0.3)
        << "20 passes of 20 are nothing special at a rate of 96 %";
}

TEST(SplitTest, SaysTheSameOfThePartAndOfTheRest) {
    const std::vector<double> values = passes(30, 20, 70, 60);
    std::vector<std::uint32_t> rest(70);
    std::iota(rest.begin(), rest.end(), 30U);
    const auto part = split_test(values, first(30), kPlan);
    const auto other = split_test(values, rest, kPlan);
    EXPECT_NEAR(part.difference, -other.difference, 1e-12);
    EXPECT_EQ(part.p_value, other.p_value);
}

TEST(SplitTest, ReachesSmallPValuesWithoutRearranging) {
    const auto test = split_test(passes(400, 0, 4000, 4000), first(400), {1000, 42});
    EXPECT_LT(test.p_value, 1e-6);
}

TEST(SplitTest, OfLargePartsIsThatOfTheNormalDistribution) {
    // Rates of 0.5 and 0.55 of 1,000 each: 2.2375 standard errors with the larger variance.
    const auto test = split_test(passes(1000, 500, 1000, 550), first(1000), kPlan);
    EXPECT_NEAR(test.p_value, 0.0252, 0.0005);
}

// The part has the mean of the rest, but varies ten times as much.
TEST(SplitTest, DoesNotTakeAWiderSpreadForADifference) {
    std::vector<double> values;
    for (int i = 0; i < 25; ++i)
        values.push_back(i % 2 == 0 ? 1.0 : -0.8);  // its mean is 0.136: 0.75 of its errors
    for (int i = 0; i < 975; ++i)
        values.push_back(i % 2 == 0 ? 0.1 : -0.1);
    EXPECT_GT(split_test(values, first(25), kPlan).p_value, 0.2);
}

TEST(SplitTest, IsAPureFunctionOfTheSeed) {
    const std::vector<double> values = passes(25, 15, 75, 60);
    const auto once = split_test(values, first(25), {500, 7});
    EXPECT_EQ(once.p_value, split_test(values, first(25), {500, 7}).p_value);
    EXPECT_GE(once.p_value, 1.0 / 501);
}

}  // namespace
}  // namespace evalfleet::statistics
