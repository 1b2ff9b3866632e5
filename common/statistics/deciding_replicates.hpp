#pragma once

#include "common/statistics/bootstrap_mean.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace evalfleet::statistics {

/// The percentiles that are the limits of a 95 % interval.
inline constexpr double kLowerLimit = 0.025;
inline constexpr double kUpperLimit = 0.975;

/// The replicates, ascending, whose exact value can be one of the order statistics that the two
/// limits are interpolated from. All others can keep their approximate values: they lie on the
/// right side of the order statistics whatever their exact value is. NaN: no value.
[[nodiscard]] std::vector<std::size_t> deciding_replicates(
    std::span<const Approximation> replicates);

}  // namespace evalfleet::statistics
