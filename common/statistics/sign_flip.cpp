#include "common/statistics/sign_flip.hpp"

#include "common/statistics/resampling.hpp"
#include "common/statistics/sequential_p_value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

namespace evalfleet::statistics {
namespace {

constexpr std::size_t kBits = 64;
constexpr std::uint64_t kFlipsATest = 800;  // kAsFar / 0.05

double with_sign(double value, std::uint64_t flip) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (flip << 63));
}

// The sum with the signs that a flip drew, 64 of them with one random number. Four sums that do not
// wait for each other.
double flipped_sum(std::span<const double> differences, std::uint64_t key) noexcept {
    std::array<double, 4> sums{};
    for (std::size_t begin = 0; begin < differences.size(); begin += kBits) {
        std::uint64_t signs = random_bits(key, begin / kBits);
        const std::size_t end = std::min(begin + kBits, differences.size());
        std::size_t i = begin;
        for (; i + 4 <= end; i += 4, signs >>= 4) {
            sums[0] += with_sign(differences[i], signs);
            sums[1] += with_sign(differences[i + 1], signs >> 1);
            sums[2] += with_sign(differences[i + 2], signs >> 2);
            sums[3] += with_sign(differences[i + 3], signs >> 3);
        }
        for (; i < end; ++i, signs >>= 1)
            sums[0] += with_sign(differences[i], signs);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The sums of all patterns of signs.
std::vector<double> all_sums(std::span<const double> differences) {
    std::vector<double> sums{0};
    for (const double difference : differences) {
        const std::size_t size = sums.size();
        for (std::size_t i = 0; i < size; ++i)
            sums.push_back(sums[i] - difference);
        for (std::size_t i = 0; i < size; ++i)
            sums[i] += difference;
    }
    return sums;
}

double enumerate(std::span<const double> differences, double limit) {
    const std::size_t half = differences.size() / 2;
    const std::vector<double> first = all_sums(differences.first(half));
    const std::vector<double> second = all_sums(differences.subspan(half));
    std::uint64_t as_far = 0;
    for (const double a : first) {
        for (const double b : second)
            as_far += std::fabs(a + b) >= limit ? 1 : 0;
    }
    return static_cast<double>(as_far) / static_cast<double>(first.size() * second.size());
}

double flip_at_random(std::span<const double> differences, double limit, const SignFlipPlan& plan) {
    return sequential_p_value(plan.flips, [&](std::uint64_t flip) {
        return std::fabs(flipped_sum(differences, replicate_key(plan.seed, flip))) >= limit;
    });
}

}  // namespace

std::uint64_t flips_for(std::uint64_t tests) noexcept {
    return kFlipsATest * tests;
}

double sign_flip_test(std::span<const double> differences, const SignFlipPlan& plan) {
    std::vector<double> moved;
    std::ranges::copy_if(differences, std::back_inserter(moved), [](double d) { return d != 0; });
    if (moved.empty()) return 1;
    double sum = 0;
    double size = 0;
    double squares = 0;
    for (const double d : moved) {
        sum += d;
        size += std::fabs(d);
        squares += d * d;
    }
    // Flips that differ only by rounding are equally far from 0.
    constexpr double kRounding = 1e-12;
    const double limit = std::fabs(sum) - kRounding * size;
    if (moved.size() <= kMostEnumerated) return enumerate(moved, limit);
    const double bound = 2 * std::exp(-sum * sum / (2 * squares));
    if (bound * static_cast<double>(plan.flips + 1) <= 1) return bound;
    return flip_at_random(moved, limit, plan);
}

}  // namespace evalfleet::statistics
