#pragma once

#include "common/statistics/interval.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::statistics {

/// The 97.5 % point of the normal distribution, as the specification writes it.
inline constexpr double kZ95 = 1.959963984540054;

/// Wilson's 95 % interval of a rate of `count` out of `n`. The limits are exactly 0 for a count of
/// 0 and exactly 1 for a count of n; null for n = 0.
[[nodiscard]] std::optional<Interval> wilson_interval(std::uint64_t count, std::uint64_t n);

}  // namespace evalfleet::statistics
