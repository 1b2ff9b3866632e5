#pragma once

#include <cstdint>
#include <functional>

namespace evalfleet::bench {

/// What a piece of work cost.
struct Usage {
    double wall_seconds = 0;
    double cpu_seconds = 0;        ///< of all threads, user and system
    std::uint64_t peak_bytes = 0;  ///< resident set at its highest during the work
    std::uint64_t peak_more_bytes =
        0;  ///< the same, without what was resident at the program's start
};

/// Resident bytes now; the first call fixes what counts as the program's start.
std::uint64_t resident_bytes();

/// Runs `work` and measures it. The peak is the kernel's (VmHWM), reset before (clear_refs).
[[nodiscard]] Usage measure(const std::function<void()>& work);

}  // namespace evalfleet::bench
