#include "common/statistics/mean_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace evalfleet::statistics {
namespace {

TEST(StudentInterval, IsTheTextbookOne) {
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    // t(5) = 2.5706, deviation sqrt(3.5).
    const Interval interval = student_interval(values);
    EXPECT_NEAR(interval.upper, 3.5 + 2.5706 * std::sqrt(3.5 / 6), 0.02);
    EXPECT_NEAR(interval.lower, 3.5 - 2.5706 * std::sqrt(3.5 / 6), 0.02);
}

TEST(UpperLimit, OfZerosIsThatOfClopperAndPearson) {
    for (const std::size_t n : {6U, 10U, 20U, 60U, 200U, 2000U}) {
        const double exact = 1 - std::pow(0.025, 1 / static_cast<double>(n));
        EXPECT_NEAR(upper_limit(std::vector<double>(n, 0.0), 1), exact, 0.07 * exact) << n;
    }
}

TEST(UpperLimit, NeverExceedsTheHighest) {
    EXPECT_EQ(upper_limit(std::vector<double>(6, 1.0), 1), 1);
}

TEST(BoundedInterval, TellsThatFewEqualSamplesShowLittle) {
    const Interval interval = bounded_interval(std::vector<double>(10, 0.0), 1);
    EXPECT_GT(interval.upper, 0.3);
    EXPECT_EQ(interval.lower, -interval.upper);
}

TEST(BoundedInterval, ComesNearStudentsForManySamples) {
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i)
        values.push_back(std::sin(i * 1.7) / 2);
    const Interval bounded = bounded_interval(values, 1);
    const Interval student = student_interval(values);
    EXPECT_LE(bounded.lower, student.lower);
    EXPECT_GE(bounded.upper, student.upper);
    EXPECT_NEAR(bounded.upper, student.upper, 2e-4);
}

}  // namespace
}  // namespace evalfleet::statistics
