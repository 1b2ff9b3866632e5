#pragma once

#include "common/job/summary.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Numbers as people read them. What is unknown is a dash.
namespace evalfleet::report {

inline constexpr const char* kUnknown = "–";

/// What a figure measures, which decides how it is written.
enum class Unit { score, share, milliseconds, ratio, tokens, usd };

/// 0.873 as score "0.873", as share "87.3 %"; 12345.6 as milliseconds "12.3 s".
[[nodiscard]] std::string show(double value, Unit unit);
[[nodiscard]] std::string show(const std::optional<double>& value, Unit unit);
/// "0.812 to 0.921"
[[nodiscard]] std::string show(const std::optional<statistics::Interval>& interval, Unit unit);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string show_count(std::int64_t count);
[[nodiscard]] std::string show_count(std::uint64_t count);

}  // namespace evalfleet::report
