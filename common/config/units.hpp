#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::config {

/// An amount of memory or data.
struct ByteSize {
    std::uint64_t bytes = 0;
    auto operator<=>(const ByteSize&) const = default;
};

/// "500ms", "30s", "5m", "1.5h", "2d"; also us and ns. A number without a unit counts `plain_unit`.
[[nodiscard]] Result<std::chrono::nanoseconds> parse_duration(std::string_view text,
                                                              std::chrono::nanoseconds plain_unit);
/// The shortest of the forms that `parse_duration` reads back exactly: "30s", "1500ms".
[[nodiscard]] std::string format_duration(std::chrono::nanoseconds duration);

/// "64MiB", "1.5GiB", "10kB", "4096"; KiB, MiB, GiB, TiB count by 1024, kB, MB, GB, TB by 1000.
[[nodiscard]] Result<ByteSize> parse_byte_size(std::string_view text);
[[nodiscard]] std::string format_byte_size(ByteSize size);

/// true/false, and what shells and charts use for them: 1/0, yes/no, on/off.
[[nodiscard]] Result<bool> parse_bool(std::string_view text);
[[nodiscard]] Result<std::int64_t> parse_int64(std::string_view text);
[[nodiscard]] Result<std::uint64_t> parse_uint64(std::string_view text);
[[nodiscard]] Result<double> parse_double(std::string_view text);

}  // namespace evalfleet::config
