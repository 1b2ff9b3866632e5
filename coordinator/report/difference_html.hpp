#pragma once

#include "coordinator/reduce/comparison_rule.hpp"

#include <span>
#include <string>

namespace evalfleet::report {

/// Metrics of two runs as a table: values, the difference with its interval as figures and drawn,
/// p-values, and what they say. Pure.
[[nodiscard]] std::string difference_table(std::span<const reduce::MetricDifference> rows);

}  // namespace evalfleet::report
