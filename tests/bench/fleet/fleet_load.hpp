#pragma once

#include "tests/bench/fleet/figures.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::bench {

/// What a fleet is given to do.
struct Load {
    std::string name;
    std::size_t trials = 20'000;
    std::size_t in_flight = 256;
    std::size_t workers = 1;
    int latency_ms = 0;  ///< of each call, always the same
    bool stream = false;
    bool wrk = true;  ///< the limit: wrk against the same provider, right after
};

/// Starts a whole fleet of the programs in `bin` (redis-server, coordinator, workers, simulated
/// provider) in a folder of its own, has it do the load, and measures it from the submission until
/// the run is done. Everything that was started has ended when it returns. Throws
/// std::runtime_error if something does not start or takes too long.
[[nodiscard]] Figures blocking_measure(const std::filesystem::path& bin, const Load& load);

/// The same load once more for what slows a fleet down to count: system calls (strace). Nothing of
/// the rest is measured. Without strace nothing at all.
[[nodiscard]] Figures blocking_count_syscalls(const std::filesystem::path& bin, const Load& load);

/// Whether a program is on PATH.
[[nodiscard]] bool has_program(const std::string& name);

}  // namespace evalfleet::bench
