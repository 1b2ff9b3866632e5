#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::statistics {

PercentilePosition percentile_position(std::size_t n, double p) noexcept {
    const double h = static_cast<double>(n - 1) * p;
    const double floor = std::floor(h);
    return {static_cast<std::size_t>(floor), h - floor};
}

double interpolate(double at, double next, double fraction) noexcept {
    const double step = fraction * (next - at);
    return at + step;
}

std::optional<double> percentile_of_sorted(std::span<const double> sorted, double p) {
    if (sorted.empty()) return std::nullopt;
    const auto [index, fraction] = percentile_position(sorted.size(), p);
    if (index + 1 >= sorted.size()) return sorted.back();
    return interpolate(sorted[index], sorted[index + 1], fraction);
}

std::optional<double> percentile_in_place(std::span<double> values, double p) {
    if (values.empty()) return std::nullopt;
    const auto [index, fraction] = percentile_position(values.size(), p);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(index);
    std::nth_element(values.begin(), at, values.end());
    if (index + 1 >= values.size()) return *at;
    return interpolate(*at, *std::min_element(at + 1, values.end()), fraction);
}

}  // namespace evalfleet::statistics
