#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evalfleet::log {

enum class Level : std::uint8_t { trace, debug, info, warn, error, off };

inline constexpr std::array<std::string_view, 6> kLevelNames = {"trace", "debug", "info",
                                                                "warn",  "error", "off"};

[[nodiscard]] constexpr std::string_view to_string(Level level) noexcept {
    return kLevelNames[static_cast<std::size_t>(level)];
}

/// How lines are laid out.
enum class Format : std::uint8_t {
    text,  ///< for eyes: 2026-11-16T15:55:18.123Z INFO  worker.lease: lost run=r1 count=3
    json,  ///< for machines: one JSON object a line
};

inline constexpr std::array<std::string_view, 2> kFormatNames = {"text", "json"};

/// Text if standard error is a terminal, else JSON.
[[nodiscard]] Format default_format() noexcept;

}  // namespace evalfleet::log
