#include "common/statistics/variance_components.hpp"

#include <gtest/gtest.h>

#include <array>

namespace evalfleet::statistics {
namespace {

TEST(VarianceComponents, TellSamplesAndRepeatsApart) {
    VarianceSplitter splitter;
    splitter.add_sample(std::array{1.0, 3.0});
    splitter.add_sample(std::array{5.0, 7.0});
    splitter.add_sample({});
    const auto spread = splitter.components();
    ASSERT_TRUE(spread);
    EXPECT_EQ(spread->samples, 2U);
    EXPECT_DOUBLE_EQ(spread->mean, 4);
    EXPECT_DOUBLE_EQ(spread->of_means, 8);           // (2 - 4)^2 + (6 - 4)^2
    EXPECT_DOUBLE_EQ(spread->within.value(), 2);     // (2 + 2) / 2 degrees
    EXPECT_DOUBLE_EQ(spread->between().value(), 7);  // 8 - 2 / 2 repeats
    EXPECT_DOUBLE_EQ(spread->with_repeats_times(2).value(), 7.5);
}

TEST(VarianceComponents, OfRepeatsAreUnknownWithoutAny) {
    VarianceSplitter splitter;
    splitter.add_sample(std::array{1.0});
    EXPECT_FALSE(splitter.components()) << "one sample has no spread";
    splitter.add_sample(std::array{2.0});
    const auto spread = splitter.components();
    ASSERT_TRUE(spread);
    EXPECT_DOUBLE_EQ(spread->of_means, 0.5);
    EXPECT_EQ(spread->within, std::nullopt);
    EXPECT_EQ(spread->between(), std::nullopt);
    EXPECT_EQ(spread->with_repeats_times(2), std::nullopt);
}

TEST(VarianceComponents, OfSamplesAreNeverBelowZero) {
    VarianceSplitter splitter;
    splitter.add_sample(std::array{0.0, 1.0});
    splitter.add_sample(std::array{1.0, 0.0});
    EXPECT_EQ(splitter.components()->between(), 0.0);
}

TEST(VarianceComponents, CountSamplesWithFewerRepeatsAsMuch) {
    VarianceSplitter splitter;
    splitter.add_sample(std::array{1.0});
    splitter.add_sample(std::array{2.0, 4.0});
    const auto spread = splitter.components();
    EXPECT_DOUBLE_EQ(spread->inverse_repeats, 0.75);
    EXPECT_DOUBLE_EQ(spread->of_means, 2);
    EXPECT_DOUBLE_EQ(spread->between().value(), 0.5);  // 2 - 2 x 0.75
}

}  // namespace
}  // namespace evalfleet::statistics
