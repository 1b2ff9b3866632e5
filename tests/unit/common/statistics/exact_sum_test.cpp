#include "common/statistics/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace evalfleet::statistics {
namespace {

double sum_of(const std::vector<double>& values) {
    ExactSum sum;
    for (const double value : values) {
        sum.add(value);
    }
    return sum.value();
}

// Shewchuk's partials, as in Python's math.fsum.
double fsum(const std::vector<double>& values) {
    std::vector<double> partials;
    for (double x : values) {
        std::size_t kept = 0;
        for (double y : partials) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y;
            const double low = y - (high - x);
            if (low != 0) partials[kept++] = low;
            x = high;
        }
        partials.resize(kept);
        partials.push_back(x);
    }
    double high = 0;
    double low = 0;
    while (!partials.empty()) {
        const double x = high;
        const double y = partials.back();
        partials.pop_back();
        high = x + y;
        low = y - (high - x);
        if (low != 0) break;
    }
    // The rest may turn a tie.
    if (!partials.empty() &&
        ((low < 0 && partials.back() < 0) || (low > 0 && partials.back() > 0))) {
        const double y = low * 2;
        const double x = high + y;
        if (y == x - high) high = x;
    }
    return high;
}

TEST(ExactSum, OfNothingIsZero) {
    EXPECT_EQ(ExactSum().value(), 0.0);
}

TEST(ExactSum, KeepsWhatNaiveAdditionLoses) {
    EXPECT_EQ(sum_of({1e100, 1.0, -1e100}), 1.0);
    EXPECT_EQ(sum_of(std::vector<double>(10, 0.1)), 1.0);
    EXPECT_EQ(sum_of({1e16, 1.0, 1e-16}), 1e16 + 2);
    EXPECT_EQ(sum_of({1e16, 1.0}), 1e16);
}

TEST(ExactSum, RoundsHalfToEven) {
    const double one = 1.0;
    const double half_ulp = std::ldexp(1.0, -53);
    EXPECT_EQ(sum_of({one, half_ulp}), one);
    EXPECT_EQ(sum_of({one + 2 * half_ulp, half_ulp}), one + 4 * half_ulp);
    EXPECT_EQ(sum_of({one, half_ulp, std::ldexp(1.0, -1074)}), one + 2 * half_ulp);
    EXPECT_EQ(sum_of({-one, -half_ulp, -std::ldexp(1.0, -1074)}), -one - 2 * half_ulp);
}

TEST(ExactSum, HandlesTheEndsOfTheRange) {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const double huge = std::numeric_limits<double>::max();
    EXPECT_EQ(sum_of({tiny}), tiny);
    EXPECT_EQ(sum_of({tiny, tiny, -tiny}), tiny);
    EXPECT_EQ(sum_of({huge}), huge);
    EXPECT_EQ(sum_of({-huge, huge, -huge}), -huge);
    EXPECT_EQ(sum_of({huge, huge}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(sum_of({-huge, -huge}), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(sum_of({huge, huge, -huge, -huge, -1.5}), -1.5);
}

TEST(ExactSum, EqualsShewchukOnRandomValuesInAnyOrder) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    for (int round = 0; round < 400; ++round) {
        const int spread = round % 2 == 0 ? 20 : 900;
        std::uniform_int_distribution<int> exponent(-spread, spread);
        std::vector<double> values(1 + random() % 60);
        for (double& value : values) {
            value = std::ldexp(mantissa(random), exponent(random));
        }
        const double expected = fsum(values);
        EXPECT_EQ(sum_of(values), expected);
        std::shuffle(values.begin(), values.end(), random);
        EXPECT_EQ(sum_of(values), expected);
    }
}

TEST(ExactSum, AddsMultiplesAsIfOneByOne) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> value(-1e6, 1e6);
    ExactSum at_once;
    ExactSum one_by_one;
    for (int i = 0; i < 200; ++i) {
        const double x = value(random);
        const auto times = static_cast<std::uint32_t>(random() % 50);
        at_once.add(x, times);
        for (std::uint32_t t = 0; t < times; ++t) {
            one_by_one.add(x);
        }
    }
    EXPECT_EQ(at_once.value(), one_by_one.value());
    ExactSum most;
    most.add(std::numeric_limits<double>::denorm_min(), ~0U);
    EXPECT_EQ(most.value(), std::ldexp(static_cast<double>(~0U), -1074));
}

TEST(ExactSum, MergesPartsIntoTheWhole) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> value(-1, 1);
    ExactSum whole;
    ExactSum parts[3];
    for (int i = 0; i < 3000; ++i) {
        const double x = std::ldexp(value(random), i % 80);
        whole.add(x);
        parts[i % 3].add(x);
    }
    parts[2].merge(parts[0]);
    parts[2].merge(parts[1]);
    EXPECT_EQ(parts[2].value(), whole.value());
}

}  // namespace
}  // namespace evalfleet::statistics
