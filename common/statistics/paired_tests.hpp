#pragma once

#include "common/statistics/interval.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace evalfleet::statistics {

/// McNemar's exact test, two-sided: how probable a split of the discordant pairs at least as uneven
/// as `only_first` to `only_second` is, if both directions are equally likely. 1 for no discordant
/// pair.
[[nodiscard]] double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second);

/// Holm's step-down correction: p-values that may each be held against the level of the whole
/// family. In the order given; at most 1.
[[nodiscard]] std::vector<double> holm_correction(std::span<const double> p_values);

/// The smallest true difference between two runs like this one that a two-sided test at 5 % finds
/// with a probability of 80 %: (z_0.975 + z_0.8) sqrt(2) times the standard error, which is taken
/// from the width of the run's own 95 % interval.
[[nodiscard]] double minimum_detectable_difference(const Interval& ci95) noexcept;

}  // namespace evalfleet::statistics
