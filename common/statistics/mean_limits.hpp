#pragma once

#include "common/statistics/interval.hpp"

#include <span>

/// Limits of the mean of independent values, for means of paired differences.
namespace evalfleet::statistics {

/// Student's 95 % interval; needs two values. It takes rare large values that did not occur as
/// absent.
[[nodiscard]] Interval student_interval(std::span<const double> values);

/// The upper 97.5 % limit of the mean of values that are nowhere above `highest`, without any other
/// assumption: the values and one more of `highest`, weighted at random with weights that add up to
/// 1 (Gaffke's limit, a Bayesian bootstrap with one observation of the worst kind). By the first
/// three moments of that weighted mean, so it needs no random numbers. For n zeros and `highest` 1
/// it is Clopper's and Pearson's 1 - 0.025^(1/n), within 5 %.
[[nodiscard]] double upper_limit(std::span<const double> values, double highest);

/// Both limits so, for values in [-reach, reach]; no narrower than Student's interval.
[[nodiscard]] Interval bounded_interval(std::span<const double> values, double reach);

}  // namespace evalfleet::statistics
