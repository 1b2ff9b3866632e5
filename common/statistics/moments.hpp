#pragma once

#include <optional>
#include <span>

namespace evalfleet::statistics {

/// The exactly rounded sum divided by the count; null for none.
[[nodiscard]] std::optional<double> mean(std::span<const double> values);

/// sqrt(sum((x - mean)^2) / (n - 1)) with an exactly rounded sum; null for less than two values.
[[nodiscard]] std::optional<double> sample_stddev(std::span<const double> values);

}  // namespace evalfleet::statistics
