#include "common/statistics/power.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace evalfleet::statistics {
namespace {

TEST(DetectableDifference, IsTheTextbookFormula) {
    // t at 99 degrees: 1.98422 and 0.84523; a standard error of 0.1.
    EXPECT_NEAR(detectable_difference(100, 1, {}).value(), (1.98422 + 0.84523) * 0.1, 1e-5);
    // With endless samples: z = 1.95996 and 0.84162.
    EXPECT_NEAR(detectable_difference(1'000'000, 1, {}).value(), 2.80159e-3, 1e-7);
    // Two runs of their own samples: twice the variance, twice the degrees (1.97202 and 0.84340).
    EXPECT_NEAR(detectable_difference(100, 2, {.pairing = Pairing::unpaired}).value(),
                (1.97202 + 0.84340) * std::sqrt(2) * 0.1, 1e-5);
}

TEST(DetectableDifference, GrowsWithTheNumberOfTests) {
    // z of 0.05 / 16 is 2.95516.
    EXPECT_NEAR(detectable_difference(1'000'000, 1, {.level = 0.05 / 16}).value(),
                (2.95516 + 0.84162) * 1e-3, 1e-6);
}

TEST(DetectableDifference, IsNullWhereItCannotBeEstimated) {
    EXPECT_EQ(detectable_difference(1, 0, {}), std::nullopt);
    EXPECT_EQ(detectable_difference(5, 1, {}), std::nullopt);
    EXPECT_EQ(detectable_difference(100, 0, {}), std::nullopt) << "no spread seen";
    EXPECT_EQ(detectable_difference(6, 4, {.reach = 1}), std::nullopt) << "beyond what there is";
}

// If both runs passed everything, a loss of d leaves the share d of samples that differ: variance
// d - d^2. So d^2 = z^2 (d - d^2) / n, which is d = z^2 / (n + z^2).
TEST(DetectableDifference, CountsTheSpreadThatALossOfPassesBrings) {
    constexpr double kSquared = 2.80159 * 2.80159;
    EXPECT_NEAR(detectable_difference(1'000'000, 0, {.growth = 1}).value(),
                kSquared / (1e6 + kSquared), 1e-9);
    const double without = detectable_difference(400, 0.1, {}).value();
    EXPECT_GT(detectable_difference(400, 0.1, {.growth = 1}).value(), without);
}

TEST(TypicalDrop, IsTheDistanceFromTheTopWeightedBySize) {
    EXPECT_EQ(typical_drop({}), 0);
    EXPECT_EQ(typical_drop(std::array{0.5, 0.5}), 0);
    EXPECT_DOUBLE_EQ(typical_drop(std::array{1.0, 1.0, 0.0, 1.0}), 1);
    EXPECT_DOUBLE_EQ(typical_drop(std::array{1.0, 0.9, 0.4}), (0.01 + 0.36) / 0.7);
}

TEST(SamplesToDetect, AreTheFewestThatFindTheDifference) {
    for (const Search& search :
         {Search{}, Search{.pairing = Pairing::unpaired}, Search{.level = 0.001, .growth = 1}}) {
        const auto samples = samples_to_detect(0.2, 0.5, search);
        ASSERT_TRUE(samples);
        EXPECT_LE(detectable_difference(*samples, 0.5, search).value(), 0.2);
        EXPECT_GT(detectable_difference(*samples - 1, 0.5, search).value_or(9), 0.2);
    }
    // 7.849 x 1 / 0.2^2 = 196.2, and two for the t distribution.
    EXPECT_NEAR(static_cast<double>(samples_to_detect(0.2, 1, {}).value()), 198.2, 1);
    EXPECT_EQ(samples_to_detect(0.9, 0.001, {}), kFewestToPlan);
}

TEST(SamplesToDetect, AreNullWhereNoneSuffice) {
    EXPECT_EQ(samples_to_detect(0.1, 0, {}), std::nullopt);
    EXPECT_EQ(samples_to_detect(1e-9, 1, {}), std::nullopt);
}

TEST(PowerFigures, TellWhatMoreSamplesAndMoreRepeatsBring) {
    VarianceComponents spread{.samples = 1'000'000, .of_means = 4, .inverse_repeats = 0.5};
    spread.within = 6;  // so the samples themselves vary by 4 - 3 = 1
    const PowerFigures figures = power_of(spread, {});
    EXPECT_DOUBLE_EQ(figures.between_variance.value(), 1);
    EXPECT_NEAR(figures.detectable.value(), 2.80159e-3 * 2, 1e-7);
    EXPECT_NEAR(figures.with_twice_the_samples.value(), 2.80159e-3 * 2 / std::sqrt(2), 1e-7);
    EXPECT_NEAR(figures.with_twice_the_repeats.value(), 2.80159e-3 * std::sqrt(2.5), 1e-7);
    EXPECT_NEAR(power_of(spread, {.pairing = Pairing::unpaired}).detectable.value(),
                2.80159e-3 * 2 * std::sqrt(2), 1e-7);
    spread.within = std::nullopt;
    EXPECT_EQ(power_of(spread, {}).with_twice_the_repeats, std::nullopt);
    EXPECT_EQ(power_of({.samples = 2, .of_means = 1}, {}), PowerFigures{});
}

}  // namespace
}  // namespace evalfleet::statistics
