#pragma once

#include <sys/types.h>

#include <cstdint>

namespace evalfleet::bench {

/// What the kernel says of a process.
struct ProcessCost {
    double cpu_us = 0;           ///< user and system, all threads, so far
    std::uint64_t rss = 0;       ///< bytes
    std::uint64_t peak_rss = 0;  ///< bytes
};

/// Throws std::runtime_error if there is no such process.
[[nodiscard]] ProcessCost read_cost(pid_t pid);

}  // namespace evalfleet::bench
