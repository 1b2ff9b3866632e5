#include "common/statistics/block_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace evalfleet::statistics {
namespace {

constexpr SplitPlan kPlan{20'000, 42};

TEST(BlockTest, IsTheSignFlipTestOfPairs) {
    BlockTest test;
    for (int i = 0; i < 5; ++i)
        test.add_block(std::array{1.0}, std::array{0.0});
    const SplitTest result = test.run(kPlan);
    EXPECT_DOUBLE_EQ(result.difference, 1);
    EXPECT_NEAR(result.p_value, 2.0 / 32, 0.03);  // all five one way, or all the other
}

TEST(BlockTest, CountsWhichOfTheValuesOfABlockMightHaveBeenThePart) {
    BlockTest test;
    for (int i = 0; i < 3; ++i)
        test.add_block(std::array{1.0}, std::array{0.0, 0.0});
    const SplitTest result = test.run(kPlan);
    EXPECT_DOUBLE_EQ(result.difference, 1);
    EXPECT_NEAR(result.p_value, 1.0 / 27, 0.02) << "a third in each of three blocks";
}

TEST(BlockTest, LeavesOutBlocksThatHaveOneSideOnly) {
    BlockTest test;
    EXPECT_EQ(test.run(kPlan).p_value, 1);
    test.add_block({}, std::array{1.0});
    test.add_block(std::array{1.0}, {});
    EXPECT_EQ(test.blocks(), 0U);
    test.add_block(std::array{1.0}, std::array{1.0, 1.0});
    EXPECT_EQ(test.blocks(), 1U);
    EXPECT_EQ(test.run(kPlan).p_value, 1) << "nothing differs";
}

TEST(BlockTest, OfManyBlocksIsThatOfTheNormalDistribution) {
    BlockTest test;
    // 540 blocks one way, 460 the other: a sum of 80, with a variance of 1 in each block.
    for (int i = 0; i < 1000; ++i)
        test.add_block(std::array{i < 540 ? 1.0 : 0.0}, std::array{i < 540 ? 0.0 : 1.0});
    EXPECT_NEAR(test.run(kPlan).p_value, std::erfc(80 / std::sqrt(2000.0)), 1e-12);
}

}  // namespace
}  // namespace evalfleet::statistics
