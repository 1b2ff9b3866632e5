#include "common/statistics/percentile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace evalfleet::statistics {
namespace {

// The specification's formula, word for word.
double brute_force(std::vector<double> v, double p) {
    std::ranges::sort(v);
    const double h = static_cast<double>(v.size() - 1) * p;
    const auto k = static_cast<std::size_t>(std::floor(h));
    if (k + 1 == v.size()) return v[k];
    const double rest = h - std::floor(h);
    const double step = rest * (v[k + 1] - v[k]);
    return v[k] + step;
}

TEST(Percentile, OfNothingIsNull) {
    EXPECT_EQ(percentile_of_sorted({}, 0.5), std::nullopt);
    EXPECT_EQ(percentile_in_place({}, 0.5), std::nullopt);
}

TEST(Percentile, OfOneValueIsThatValue) {
    std::vector<double> one{3.5};
    for (const double p : {0.0, 0.025, 0.5, 0.95, 1.0}) {
        EXPECT_EQ(percentile_of_sorted(one, p), 3.5);
        EXPECT_EQ(percentile_in_place(one, p), 3.5);
    }
}

TEST(Percentile, InterpolatesBetweenNeighbours) {
    const std::vector<double> values{10, 20, 30, 40};
    EXPECT_EQ(percentile_of_sorted(values, 0.5), 25);
    EXPECT_EQ(percentile_of_sorted(values, 0.0), 10);
    EXPECT_EQ(percentile_of_sorted(values, 1.0), 40);
}

TEST(Percentile, EqualsBruteForceBitByBitInAnyOrder) {
    std::mt19937_64 random(5);
    std::lognormal_distribution<double> latency(7, 2);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> values(1 + random() % 200);
        for (double& value : values) {
            value = round % 3 == 0 ? std::floor(latency(random) / 500) : latency(random);
        }
        for (const double p : {0.025, 0.5, 0.95, 0.975}) {
            const double expected = brute_force(values, p);
            std::vector<double> copy = values;
            EXPECT_EQ(percentile_in_place(copy, p), expected);
            std::ranges::sort(copy);
            EXPECT_EQ(percentile_of_sorted(copy, p), expected);
        }
    }
}

}  // namespace
}  // namespace evalfleet::statistics
