#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evalfleet::records {

/// Milliseconds since 1970 of "2026-11-16T02:00:00.123Z", as records have it; none if it is not so
/// written. Pure.
[[nodiscard]] std::optional<std::int64_t> parse_utc_ms(std::string_view text) noexcept;

}  // namespace evalfleet::records
