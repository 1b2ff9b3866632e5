#include "common/statistics/moments.hpp"

#include "common/statistics/exact_sum.hpp"

#include <cmath>

namespace evalfleet::statistics {

std::optional<double> mean(std::span<const double> values) {
    if (values.empty()) return std::nullopt;
    ExactSum sum;
    for (const double value : values) {
        sum.add(value);
    }
    return sum.value() / static_cast<double>(values.size());
}

std::optional<double> sample_stddev(std::span<const double> values) {
    if (values.size() < 2) return std::nullopt;
    const double centre = *mean(values);
    ExactSum squares;
    for (const double value : values) {
        squares.add((value - centre) * (value - centre));
    }
    return std::sqrt(squares.value() / static_cast<double>(values.size() - 1));
}

}  // namespace evalfleet::statistics
