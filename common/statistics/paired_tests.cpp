#include "common/statistics/paired_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace evalfleet::statistics {
namespace {

// Places of the p-values from the least to the greatest; equal ones as they come.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
    return order;
}

}  // namespace

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
    const std::vector<std::size_t> order = ascending(p_values);
    std::vector<double> corrected(p_values.size());
    double least = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const auto hypotheses = static_cast<double>(order.size() - rank);
        least = std::max(least, std::min(1.0, hypotheses * p_values[order[rank]]));
        corrected[order[rank]] = least;
    }
    return corrected;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
    const std::vector<std::size_t> order = ascending(p_values);
    const auto hypotheses = static_cast<double>(order.size());
    std::vector<double> corrected(p_values.size());
    double most = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
        const std::size_t at = order[rank - 1];
        most = std::min(most, p_values[at] * hypotheses / static_cast<double>(rank));
        corrected[at] = most;
    }
    return corrected;
}

}  // namespace evalfleet::statistics
