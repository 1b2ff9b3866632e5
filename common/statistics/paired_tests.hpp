#pragma once

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

/// Benjamini's and Hochberg's step-up correction: of the findings with a corrected p-value below a
/// level, no larger share is false on average; if nothing is to be found, the chance of any finding
/// is at most the level. In the order given; at most 1.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace evalfleet::statistics
