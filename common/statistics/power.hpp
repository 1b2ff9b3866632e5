#pragma once

#include "common/statistics/variance_components.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace evalfleet::statistics {

/// Below this many samples no spread is known well enough to plan with.
inline constexpr std::uint64_t kFewestToPlan = 6;

enum class Pairing {
    paired,    ///< both runs answer the same samples; the spread is that of their differences
    unpaired,  ///< they answer different ones, equally many; the spread is that of one run
};

/// How far values lie below the highest of them that do: the sum of the squared distances over that
/// of the distances; 0 if none does. A mean that falls takes more of such falls.
[[nodiscard]] double typical_drop(std::span<const double> values);

/// How a difference is looked for.
struct Search {
    Pairing pairing = Pairing::paired;
    double level = 0.05;  ///< two-sided error rate of the test
    double reach = 1;     ///< no difference is larger
    /// By how much the variance grows with the difference. Scores that have few values, as passes
    /// do, cannot all move by a little: a mean that falls by d takes some that fall all the way.
    /// 0: the spread stays as it is.
    double growth = 0;
    /// How long the tails of the values are: their excess kurtosis, 0 for those of a normal
    /// distribution or shorter ones. With long tails the spread of the next runs is not known well
    /// from that of these, which takes a larger difference.
    double tails = 0;
};

/// The excess kurtosis of values; 0 if they have no longer tails than the normal distribution, or
/// no spread.
[[nodiscard]] double tails_of(std::span<const double> values);

/// The smallest true difference that the test finds with a probability of 80 %:
/// d = (t_{1 - level / 2} + w t_0.8) sqrt(v(d) / samples), with w = sqrt(1 + 3/4 tails (t_{1 -
/// level / 2} + t_0.8)^2 / samples), and v(d) = variance + growth d - d^2, or just the variance
/// without growth, of a sample's difference. Null if it cannot be estimated: fewer than 6 samples,
/// no spread, or a difference beyond the reach.
[[nodiscard]] std::optional<double> detectable_difference(std::uint64_t samples, double variance,
                                                          const Search& search);

/// The fewest samples with which `difference` is found with a probability of 80 %; at least 6. Null
/// if no spread is known, or more than a thousand million would be needed.
[[nodiscard]] std::optional<std::uint64_t> samples_to_detect(double difference, double variance,
                                                             const Search& search);

/// What a run, or a comparison, can find, and what would help it find more.
struct PowerFigures {
    std::optional<double> between_variance{};  ///< of the samples; null without repeats
    std::optional<double> within_variance{};   ///< of the repeats of a sample; null without any
    std::optional<double> detectable{};
    std::optional<double> with_twice_the_samples{};
    std::optional<double> with_twice_the_repeats{};
    bool operator==(const PowerFigures&) const = default;
};

/// From the spread that was seen.
[[nodiscard]] PowerFigures power_of(const VarianceComponents& spread, const Search& search);

}  // namespace evalfleet::statistics
