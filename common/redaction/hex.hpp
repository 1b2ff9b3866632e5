#pragma once

#include <array>
#include <cstdint>

namespace evalfleet::redaction {

inline constexpr std::array<std::int8_t, 256> kHexValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (int i = 0; i < 10; ++i)
        values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
    for (int i = 0; i < 6; ++i) {
        values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
        values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
    }
    return values;
}();

/// -1 for what is no hex digit.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
    return kHexValues[static_cast<unsigned char>(c)];
}

}  // namespace evalfleet::redaction
