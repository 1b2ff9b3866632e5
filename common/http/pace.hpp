#pragma once

#include "common/async/clock.hpp"

#include <chrono>
#include <cstdint>

namespace evalfleet::http {

/// How slow a transfer may be: a grace, plus a second for each `min_bytes_per_second` bytes. One
/// rule that is fair to large bodies and fatal to those that drip. Pure.
struct Pace {
    std::chrono::milliseconds grace{20'000};
    std::uint64_t min_bytes_per_second = 1024;

    /// When a transfer that began at `begun` must be past its first `bytes` bytes.
    [[nodiscard]] async::TimePoint deadline(async::TimePoint begun, std::uint64_t bytes) const {
        if (min_bytes_per_second == 0) return async::kNever;
        const auto whole = static_cast<std::int64_t>(bytes / min_bytes_per_second);
        const auto part = bytes % min_bytes_per_second * 1000 / min_bytes_per_second;
        return begun + grace + std::chrono::seconds(whole) +
               std::chrono::milliseconds(static_cast<std::int64_t>(part));
    }
};

}  // namespace evalfleet::http
