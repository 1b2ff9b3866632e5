#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace evalfleet::statistics {

/// Where percentile p of n sorted values lies: between v[index] and v[index + 1], `fraction` of the
/// way. `index + 1 < n` wherever `fraction` is above 0.
struct PercentilePosition {
    std::size_t index = 0;
    double fraction = 0;
};

/// h = (n - 1) p, split into floor and rest. n is at least 1 and p in [0, 1].
[[nodiscard]] PercentilePosition percentile_position(std::size_t n, double p) noexcept;

/// v[k] + fraction (v[k+1] - v[k]), each operation rounded on its own.
[[nodiscard]] double interpolate(double at, double next, double fraction) noexcept;

/// Percentile p of sorted values (type 7); null for none.
[[nodiscard]] std::optional<double> percentile_of_sorted(std::span<const double> sorted, double p);

/// The same for values in any order, in linear time. Reorders `values`.
[[nodiscard]] std::optional<double> percentile_in_place(std::span<double> values, double p);

}  // namespace evalfleet::statistics
