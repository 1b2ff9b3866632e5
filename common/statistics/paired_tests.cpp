#include "common/statistics/paired_tests.hpp"

#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace evalfleet::statistics {

double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second) {
    const std::uint64_t n = only_first + only_second;
    const std::uint64_t fewer = std::min(only_first, only_second);
    if (fewer * 2 == n) return 1;
    // Terms C(n, k) / 2^n from k = fewer downwards; each is smaller than the one before by the
    // factor k / (n - k + 1), so the sum ends early. Logarithms, because 2^-n underflows.
    const auto size = static_cast<double>(n);
    const auto start = static_cast<double>(fewer);
    const double log_first = std::lgamma(size + 1) - std::lgamma(start + 1) -
                             std::lgamma(size - start + 1) - size * std::numbers::ln2;
    double relative = 1;
    double sum = 1;
    for (double k = start; k >= 1 && relative > 1e-18 * sum; --k) {
        relative *= k / (size - k + 1);
        sum += relative;
    }
    return std::min(1.0, 2 * std::exp(log_first + std::log(sum)));
}

std::vector<double> holm_correction(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
    std::vector<double> corrected(p_values.size());
    double least = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const auto hypotheses = static_cast<double>(order.size() - rank);
        least = std::max(least, std::min(1.0, hypotheses * p_values[order[rank]]));
        corrected[order[rank]] = least;
    }
    return corrected;
}

double minimum_detectable_difference(const Interval& ci95) noexcept {
    constexpr double kZ80 = 0.8416212335729143;
    const double standard_error = (ci95.upper - ci95.lower) / (2 * kZ95);
    return (kZ95 + kZ80) * std::numbers::sqrt2 * standard_error;
}

}  // namespace evalfleet::statistics
