#pragma once

#include "coordinator/report/report.hpp"

#include <string>

/// Pictures inside the HTML report: SVG that takes its colours from the page's style. Every figure
/// in them is also text, in a title or beside them.
namespace evalfleet::report {

/// How often each score was given, for the three labels.
[[nodiscard]] std::string score_charts(const job::SpecBlock& block);

/// How latencies of all trials spread, with the median, p95 and the gate's limit. Empty if no
/// trial has a latency.
[[nodiscard]] std::string latency_chart(const Report& report);

}  // namespace evalfleet::report
