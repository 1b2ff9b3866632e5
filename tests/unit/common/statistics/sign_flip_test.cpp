#include "common/statistics/sign_flip.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace evalfleet::statistics {
namespace {

// Every assignment of signs, counted one by one.
double all_sign_flips(const std::vector<double>& differences) {
    const std::size_t flips = std::size_t{1} << differences.size();
    const double observed = std::fabs(std::accumulate(differences.begin(), differences.end(), 0.0));
    std::size_t as_far = 0;
    for (std::size_t flip = 0; flip < flips; ++flip) {
        double sum = 0;
        for (std::size_t i = 0; i < differences.size(); ++i)
            sum += (flip >> i & 1) != 0 ? -differences[i] : differences[i];
        as_far += std::fabs(sum) >= observed - 1e-9 ? 1 : 0;
    }
    return static_cast<double>(as_far) / static_cast<double>(flips);
}

TEST(SignFlipTest, CountsAllPatternsOfFewDifferences) {
    for (const std::vector<double>& differences :
         {std::vector<double>{1, 2, 3, -1, 0.5, 2, 1.5, 0, -0.25, 4},
          std::vector<double>{1, -1, 1, -1, 0.1}, std::vector<double>{1, 1, 1, 1, 1, 1, 1},
          std::vector<double>{1.0 / 3, 1.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3, -1.0 / 3},
          std::vector<double>{-7}}) {
        EXPECT_EQ(sign_flip_test(differences, {0, 42}), all_sign_flips(differences));
    }
}

TEST(SignFlipTest, ComesNearTheCountOfAllPatternsOfMany) {
    std::vector<double> differences;
    for (int i = 0; i < 18; ++i)
        differences.push_back(std::sin(i * 3.7) + 0.35);
    // With all flips made a share p of them is as far out: four deviations of 40 in 1 / p.
    const double exact = all_sign_flips(differences);
    EXPECT_NEAR(sign_flip_test(differences, {100'000, 42}), exact, exact * 4 / std::sqrt(40.0));
}

TEST(SignFlipTest, EndsEarlyWhereItIsHopelessWithTheSharesOfThatMoment) {
    std::vector<double> differences;
    for (int i = 0; i < 1000; ++i)
        differences.push_back(i % 2 == 0 ? 1.0 + i * 1e-6 : -1.0);
    const double p = sign_flip_test(differences, {1'000'000'000'000, 42});
    EXPECT_GT(p, 0.5);
    EXPECT_EQ(std::round(40 / p), 40 / p) << "40 of so many";
}

TEST(SignFlipTest, IsAtMostHoeffdingsBoundAndNeedsNoFlipsForIt) {
    // 1000 differences of one sign: 2 exp(-500), where a billion billion flips would not do.
    EXPECT_DOUBLE_EQ(sign_flip_test(std::vector<double>(1000, 0.5), {1'000'000'000'000, 42}),
                     2 * std::exp(-500));
}

TEST(SignFlipTest, IsAPureFunctionOfTheSeedAndOneForNoDifference) {
    std::vector<double> differences;
    for (int i = 0; i < 40; ++i)
        differences.push_back(std::cos(i * 1.3) + 0.2);
    EXPECT_EQ(sign_flip_test(differences, {500, 7}), sign_flip_test(differences, {500, 7}));
    EXPECT_EQ(sign_flip_test(std::vector<double>(9, 0.0), {500, 7}), 1.0);
    EXPECT_EQ(sign_flip_test({}, {500, 7}), 1.0);
}

TEST(SignFlipTest, HasFlipsEnoughForHolmsStrictestThreshold) {
    for (const std::uint64_t tests : {1U, 8U, 208U})
        EXPECT_GE(static_cast<double>(flips_for(tests)), 20.0 * static_cast<double>(tests) / 0.05);
}

}  // namespace
}  // namespace evalfleet::statistics
