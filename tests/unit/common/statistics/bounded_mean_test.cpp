#include "common/statistics/bounded_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace evalfleet::statistics {
namespace {

// `hits` of `count` values of 1, the others 0, held against a threshold.
BoundedMean rate(std::uint64_t hits, std::uint64_t count, double threshold) {
    BoundedMean mean(-threshold, 1 - threshold);
    for (std::uint64_t i = 0; i < count; ++i)
        mean.add(i < hits ? 1 - threshold : -threshold);
    return mean;
}

// P(X >= hits) for so many draws of this probability, term by term.
double binomial_tail(std::uint64_t hits, std::uint64_t count, double probability) {
    const auto n = static_cast<double>(count);
    double sum = 0;
    for (std::uint64_t i = hits; i <= count; ++i) {
        const auto k = static_cast<double>(i);
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                        k * std::log(probability) + (n - k) * std::log1p(-probability));
    }
    return sum;
}

TEST(BoundedMean, IsTheExactTestOfARate) {
    struct Case {
        std::uint64_t hits;
        std::uint64_t count;
        double threshold;
    };
    for (const Case& one : {Case{6, 6, 0.5}, Case{10, 10, 0.8}, Case{9, 10, 0.5},
                            Case{20, 20, 0.85}, Case{18, 20, 0.8}, Case{60, 60, 0.95},
                            Case{54, 60, 0.8}, Case{180, 200, 0.85}, Case{1960, 2000, 0.97}}) {
        const double exact = binomial_tail(one.hits, one.count, one.threshold);
        const double p = rate(one.hits, one.count, one.threshold).p_above_zero();
        EXPECT_NEAR(p, exact, 0.04 * exact) << one.hits << " of " << one.count;
    }
}

TEST(BoundedMean, DoesNotBelieveValuesThatAreAllAlike) {
    BoundedMean mean(-0.8, 0.2);
    for (int i = 0; i < 6; ++i)
        mean.add(0.18);
    EXPECT_GT(mean.p_above_zero(), 0.1);
    for (int i = 0; i < 20; ++i)
        mean.add(0.18);
    EXPECT_LT(mean.p_above_zero(), 0.025);
}

TEST(BoundedMean, SaysNothingForAMeanThatIsNotAboveZero) {
    BoundedMean mean(-0.5, 0.5);
    EXPECT_EQ(mean.p_above_zero(), 1);
    for (int i = 0; i < 50; ++i)
        mean.add(i % 2 == 0 ? 0.5 : -0.5);
    EXPECT_EQ(mean.p_above_zero(), 1);
    EXPECT_EQ(mean.count_needed(0.025), 0U);
}

TEST(BoundedMean, IsSureWhereNoValueCanBeBelowZero) {
    BoundedMean mean(0, 1);
    EXPECT_EQ(mean.p_above_zero(), 1) << "of no value nothing is known";
    mean.add(0.1);
    EXPECT_EQ(mean.p_above_zero(), 0);
}

TEST(BoundedMean, NamesTheNumberOfValuesThatWouldBeEnough) {
    const BoundedMean twenty = rate(20, 20, 0.85);
    ASSERT_GT(twenty.p_above_zero(), 0.025);
    EXPECT_EQ(twenty.count_needed(0.025), 23U);  // 0.85^23 = 0.024
    EXPECT_EQ(rate(23, 23, 0.85).count_needed(0.025), 23U) << "they are enough already";
    EXPECT_LE(rate(23, 23, 0.85).p_above_zero(), 0.025);
}

TEST(BoundedMean, TakesManyDifferentValuesForWhatTheyAre) {
    BoundedMean fine(-0.5, 0.5);
    BoundedMean coarse(-0.5, 0.5);
    for (int i = 0; i < 10'000; ++i) {
        fine.add(-0.495 + 0.0001 * i);  // 0.005 above zero on average
        coarse.add(i % 2 == 0 ? 0.25 + 0.005 : -0.25 + 0.005);
    }
    // A standard error of 0.0029 and one of 0.0025, less what the worst value takes.
    EXPECT_NEAR(fine.p_above_zero(), 0.0436, 0.003);
    EXPECT_NEAR(coarse.p_above_zero(), 0.0240, 0.003);
}

}  // namespace
}  // namespace evalfleet::statistics
