#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// A moment as HTTP writes it, in any of the three forms that RFC 9110 5.6.7 tells a receiver to
/// understand: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. The name of the day is not checked against the date. A year of two
/// digits more than 50 years after `now` is one of the last century.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_date(std::string_view text,
                                                                 std::chrono::sys_seconds now);

/// In the first of those forms.
[[nodiscard]] std::string format_date(std::chrono::sys_seconds moment);

}  // namespace evalfleet::http
