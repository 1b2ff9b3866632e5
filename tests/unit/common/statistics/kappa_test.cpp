#include "common/statistics/kappa.hpp"

#include <gtest/gtest.h>

namespace evalfleet::statistics {
namespace {

TEST(CohenKappa, IsWhatTheBooksSay) {
    // Two raters, fifty items: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no.
    const Kappa kappa = cohen_kappa({{{20, 5, 0}, {10, 15, 0}, {0, 0, 0}}});
    EXPECT_EQ(kappa.count, 50U);
    EXPECT_DOUBLE_EQ(kappa.observed.value(), 0.7);
    EXPECT_NEAR(kappa.value.value(), 0.4, 1e-12);
    ASSERT_TRUE(kappa.ci95);
    EXPECT_NEAR(kappa.ci95->lower, 0.4 - 1.959964 * 0.1296148, 1e-5);
    EXPECT_NEAR(kappa.ci95->upper, 0.4 + 1.959964 * 0.1296148, 1e-5);
}

TEST(CohenKappa, IsOneWhereAllAgreeAndNothingWhereNothingCanBeSaid) {
    EXPECT_DOUBLE_EQ(cohen_kappa({{{3, 0, 0}, {0, 4, 0}, {0, 0, 5}}}).value.value(), 1);
    EXPECT_FALSE(cohen_kappa({{{9, 0, 0}, {0, 0, 0}, {0, 0, 0}}}).value)
        << "both used one category throughout";
    EXPECT_FALSE(cohen_kappa({}).observed);
}

TEST(CohenKappa, IsBelowZeroForThoseWhoContradict) {
    const Kappa kappa = cohen_kappa({{{0, 5, 0}, {5, 0, 0}, {0, 0, 0}}});
    EXPECT_DOUBLE_EQ(kappa.value.value(), -1);
    EXPECT_GE(kappa.ci95->lower, -1);
}

}  // namespace
}  // namespace evalfleet::statistics
