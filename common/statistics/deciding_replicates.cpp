#include "common/statistics/deciding_replicates.hpp"

#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace evalfleet::statistics {

std::vector<std::size_t> deciding_replicates(std::span<const Approximation> replicates) {
    std::vector<double> lower;
    std::vector<double> upper;
    for (const auto& [value, radius] : replicates) {
        if (std::isnan(value)) continue;
        lower.push_back(value - radius);
        upper.push_back(value + radius);
    }
    if (lower.empty()) return {};
    std::ranges::sort(lower);
    std::ranges::sort(upper);

    // The exact order statistic k lies between order statistic k of the lower bounds and that of
    // the upper bounds.
    std::array<Interval, 2> reach;
    for (std::size_t i = 0; i < reach.size(); ++i) {
        const std::size_t k =
            percentile_position(lower.size(), i == 0 ? kLowerLimit : kUpperLimit).index;
        reach[i] = {lower[k], upper[std::min(k + 1, upper.size() - 1)]};
    }
    std::vector<std::size_t> deciding;
    for (std::size_t b = 0; b < replicates.size(); ++b) {
        const auto& [value, radius] = replicates[b];
        const bool decides = std::ranges::any_of(reach, [&](const Interval& span) {
            return value + radius >= span.lower && value - radius <= span.upper;
        });
        if (decides) deciding.push_back(b);
    }
    return deciding;
}

}  // namespace evalfleet::statistics
