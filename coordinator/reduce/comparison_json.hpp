#pragma once

#include "common/json/writer.hpp"
#include "coordinator/reduce/comparison.hpp"

#include <span>
#include <string>

namespace evalfleet::reduce {

/// Appends the metric as an object.
void write(json::Writer& writer, const MetricDifference& metric);

/// Appends `power` to the object that is open.
void write(json::Writer& writer, const RowPower& power);

/// A difference for people; a ratio in percent.
[[nodiscard]] std::string change(Scale scale, double value);

/// For people: what such a comparison can find, and what would help.
void append_power(std::string& out, std::span<const MetricDifference> rows);

/// The columns of `text_line`.
[[nodiscard]] std::string text_head();
/// A line of a table for people, with its line feed.
[[nodiscard]] std::string text_line(const MetricDifference& metric);

/// What the rows say together, as a sentence.
[[nodiscard]] std::string sentence_of(std::span<const MetricDifference> rows);

}  // namespace evalfleet::reduce
