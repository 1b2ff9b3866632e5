#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace evalfleet::http {

/// What the kernel knows of a connection's round trips, in microseconds as it tells them.
struct RoundTrips {
    std::optional<std::uint32_t> shortest;  ///< older kernels do not tell
    std::uint32_t smoothed = 0;             ///< 0: not measured yet
};

/// The shortest one, else the smoothed one, else 0: then nothing is known. Pure.
[[nodiscard]] std::chrono::microseconds shortest_of(const RoundTrips& trips) noexcept;

/// The shortest round trip of a TCP connection so far; 0 for whatever is none (a unix socket). One
/// cheap system call, without waiting.
[[nodiscard]] std::chrono::microseconds shortest_round_trip(int socket) noexcept;

}  // namespace evalfleet::http
