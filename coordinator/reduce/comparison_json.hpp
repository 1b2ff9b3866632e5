#pragma once

#include "common/json/writer.hpp"
#include "coordinator/reduce/comparison.hpp"

#include <string>

namespace evalfleet::reduce {

/// What the p-values of a metric are called: a comparison of two runs has McNemar's test only.
enum class TestNames { mcnemar, any };

/// Appends the metric as an object.
void write(json::Writer& writer, const MetricDifference& metric, TestNames names);

/// The columns of `text_line`.
[[nodiscard]] std::string text_head();
/// A line of a table for people, with its line feed.
[[nodiscard]] std::string text_line(const MetricDifference& metric);

}  // namespace evalfleet::reduce
