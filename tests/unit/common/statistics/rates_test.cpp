#include "common/statistics/moments.hpp"
#include "common/statistics/paired_tests.hpp"
#include "common/statistics/student_t.hpp"
#include "common/statistics/wilson.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace evalfleet::statistics {
namespace {

TEST(Wilson, IsNullForNoTrials) {
    EXPECT_EQ(wilson_interval(0, 0), std::nullopt);
}

TEST(Wilson, IsExactAtTheEnds) {
    for (const std::uint64_t n : {1U, 2U, 10U, 1000000U}) {
        EXPECT_EQ(wilson_interval(0, n)->lower, 0.0);
        EXPECT_EQ(wilson_interval(n, n)->upper, 1.0);
        EXPECT_GT(wilson_interval(0, n)->upper, 0.0);
        EXPECT_LT(wilson_interval(n, n)->lower, 1.0);
    }
}

// The limits are the rates p at which the observed rate is just z standard errors away.
TEST(Wilson, LimitsSolveTheScoreTestFoundByBisection) {
    const auto score = [](double observed, double p, double n) {
        return (observed - p) / std::sqrt(p * (1 - p) / n);
    };
    for (std::uint64_t n = 1; n <= 60; ++n) {
        for (std::uint64_t count = 1; count < n; ++count) {
            const auto trials = static_cast<double>(n);
            const double observed = static_cast<double>(count) / trials;
            const auto solve = [&](double low, double high, double z) {
                for (int i = 0; i < 200; ++i) {
                    const double middle = (low + high) / 2;
                    (score(observed, middle, trials) > z ? low : high) = middle;
                }
                return (low + high) / 2;
            };
            const auto interval = wilson_interval(count, n);
            EXPECT_NEAR(interval->lower, solve(1e-12, observed, kZ95), 1e-9);
            EXPECT_NEAR(interval->upper, solve(observed, 1 - 1e-12, -kZ95), 1e-9);
        }
    }
}

TEST(ClusteredRate, IsPlainWilsonWithoutRepeats) {
    ClusteredRate rate;
    for (int i = 0; i < 50; ++i)
        rate.add_sample(i % 5 == 0 ? 1 : 0, 1);
    EXPECT_FALSE(rate.has_repeats());
    EXPECT_EQ(rate.rate(), 0.2);
    EXPECT_EQ(rate.ci95(), wilson_interval(10, 50));
    EXPECT_EQ(ClusteredRate().ci95(), std::nullopt);
    EXPECT_EQ(ClusteredRate().rate(), std::nullopt);
}

TEST(ClusteredRate, CountsBetweenSamplesAndTrials) {
    const auto width = [](const Interval& interval) { return interval.upper - interval.lower; };
    ClusteredRate same;     // the repeats of a sample always agree
    ClusteredRate between;  // they agree more often than not
    ClusteredRate even;     // they are as mixed as can be
    for (std::uint64_t i = 0; i < 40; ++i) {
        same.add_sample(i % 2 == 0 ? 4 : 0, 4);
        between.add_sample(i % 2 == 0 ? 3 : 1, 4);
        even.add_sample(2, 4);
    }
    EXPECT_NEAR(width(*same.ci95()), width(*wilson_interval(20, 40)), 0.005);
    EXPECT_EQ(even.ci95(), wilson_interval(80, 160));
    EXPECT_LT(width(*between.ci95()), width(*same.ci95()));
    EXPECT_GE(width(*between.ci95()), width(*even.ci95()));
}

TEST(ClusteredRate, CountsSamplesWhereAllTrialsAgree) {
    ClusteredRate never;
    ClusteredRate always;
    ClusteredRate alone;
    for (int i = 0; i < 10; ++i) {
        never.add_sample(0, 3);
        always.add_sample(3, 3);
    }
    alone.add_sample(2, 5);
    EXPECT_EQ(never.ci95(), wilson_interval(0, 10));
    EXPECT_EQ(always.ci95(), wilson_interval(10, 10));
    EXPECT_GT(alone.ci95()->upper, 0.8) << "one sample says next to nothing";
}

TEST(StudentT, IsWithinAPercentOfTheTables) {
    EXPECT_NEAR(student_t95(5), 2.5706, 0.02);
    EXPECT_NEAR(student_t95(10), 2.2281, 0.003);
    EXPECT_NEAR(student_t95(30), 2.0423, 1e-4);
    EXPECT_NEAR(student_t95(1e9), kZ95, 1e-8);
}

TEST(Moments, MeanAndDeviationOfKnownValues) {
    const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT_EQ(mean(values), 5.0);
    EXPECT_DOUBLE_EQ(*sample_stddev(values), std::sqrt(32.0 / 7));
    EXPECT_EQ(mean({}), std::nullopt);
    EXPECT_EQ(sample_stddev(std::vector<double>{1}), std::nullopt);
    EXPECT_EQ(sample_stddev(std::vector<double>{1.1, 1.1}), 0.0);
}

double binomial_two_sided(std::uint64_t n, std::uint64_t fewer) {
    double total = 0;
    for (std::uint64_t k = 0; k <= fewer; ++k) {
        double ways = 1;
        for (std::uint64_t i = 0; i < k; ++i) {
            ways = ways * static_cast<double>(n - i) / static_cast<double>(i + 1);
        }
        total += ways * std::pow(0.5, static_cast<double>(n));
    }
    return std::min(1.0, 2 * total);
}

TEST(McNemar, EqualsTheBinomialSum) {
    for (std::uint64_t n = 0; n <= 40; ++n) {
        for (std::uint64_t first = 0; first <= n; ++first) {
            EXPECT_NEAR(mcnemar_exact(first, n - first),
                        binomial_two_sided(n, std::min(first, n - first)), 1e-12);
        }
    }
    EXPECT_EQ(mcnemar_exact(0, 0), 1.0);
}

TEST(McNemar, DoesNotUnderflowForManyPairs) {
    EXPECT_NEAR(mcnemar_exact(500'000, 500'001), 1.0, 2e-3);
    EXPECT_LT(mcnemar_exact(400'000, 600'000), 1e-300);
    // 4900 to 5100 is two standard deviations.
    EXPECT_NEAR(mcnemar_exact(4900, 5100), 0.0466, 5e-4);
}

TEST(Holm, StepsDownAndStaysMonotone) {
    const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
    const auto corrected = holm_correction(p);
    EXPECT_DOUBLE_EQ(corrected[3], 0.02);
    EXPECT_DOUBLE_EQ(corrected[0], 0.03);
    EXPECT_DOUBLE_EQ(corrected[2], 0.06);
    EXPECT_DOUBLE_EQ(corrected[1], 0.06);
    EXPECT_TRUE(holm_correction({}).empty());
    EXPECT_EQ(holm_correction(std::vector<double>{0.9, 0.8}), (std::vector<double>{1.0, 1.0}));
}

TEST(BenjaminiHochberg, DividesByTheRankAndKeepsTheOrder) {
    // Sorted 0.005, 0.01, 0.03, 0.04 times 4 / rank: 0.02, 0.02, 0.04, 0.04.
    const std::vector<double> corrected = benjamini_hochberg(std::array{0.01, 0.04, 0.03, 0.005});
    ASSERT_EQ(corrected.size(), 4U);
    EXPECT_DOUBLE_EQ(corrected[0], 0.02);
    EXPECT_DOUBLE_EQ(corrected[1], 0.04);
    EXPECT_DOUBLE_EQ(corrected[2], 0.04);
    EXPECT_DOUBLE_EQ(corrected[3], 0.02);
}

TEST(BenjaminiHochberg, NeverRisesAboveOneNorAboveALargerPValue) {
    EXPECT_TRUE(benjamini_hochberg({}).empty());
    EXPECT_EQ(benjamini_hochberg(std::array{0.9, 1.0}), (std::vector<double>{1, 1}));
    EXPECT_EQ(benjamini_hochberg(std::array{0.04, 0.05}), (std::vector<double>{0.05, 0.05}));
}

}  // namespace
}  // namespace evalfleet::statistics
