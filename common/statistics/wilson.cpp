#include "common/statistics/wilson.hpp"

#include <cmath>

namespace evalfleet::statistics {

std::optional<Interval> wilson_interval(std::uint64_t count, std::uint64_t n) {
    if (n == 0) return std::nullopt;
    constexpr double z = kZ95;
    const auto trials = static_cast<double>(n);
    const double p = static_cast<double>(count) / trials;
    const double divisor = 1 + z * z / trials;
    const double centre = (p + z * z / (2 * trials)) / divisor;
    const double half =
        z * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials)) / divisor;
    return Interval{count == 0 ? 0.0 : centre - half, count == n ? 1.0 : centre + half};
}

}  // namespace evalfleet::statistics
