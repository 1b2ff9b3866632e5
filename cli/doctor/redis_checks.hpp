#pragma once

#include "cli/doctor/finding.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::doctor {

/// What a redis-server said of itself; what it did not say is empty.
struct RedisFacts {
    std::string url;                                         ///< without its password
    std::optional<std::string> error{};                      ///< why it cannot be asked
    std::map<std::string, std::string> info{};               ///< INFO, by key
    std::optional<std::string> info_error{};                 ///< why INFO was refused
    std::optional<std::chrono::milliseconds> clock_ahead{};  ///< of ours
    std::chrono::milliseconds round_trip{0};
    std::optional<std::string> library{};        ///< the code of the function library that it has
    std::optional<std::string> library_error{};  ///< why that is not known
};

/// The lines `key:value` of INFO.
[[nodiscard]] std::map<std::string, std::string> parse_info(std::string_view text);

/// Reachable, version, persistence, memory, clock and function library; `ours` is the code of the
/// library that this program needs. Pure.
[[nodiscard]] Findings check_redis(const RedisFacts& facts, const std::string& ours);

}  // namespace evalfleet::doctor
