#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::bench {

/// How far measured latencies are from the truth.
struct TimingErrors {
    std::vector<double> errors_ms;  ///< measured less true, connecting left out; sorted by size
    std::vector<double> bounds_ms;  ///< that the records give for themselves; sorted
    std::size_t unmatched = 0;      ///< records without an entry in the provider's log
};

/// Compares the records of a run with the simulated provider's log of what it did: from the arrival
/// of a request to its reply's last byte. Trials that needed several attempts are left out, since
/// their latency has waits in it. Throws std::runtime_error if a file cannot be read.
[[nodiscard]] TimingErrors compare(const std::filesystem::path& records,
                                   const std::filesystem::path& log);

/// Of sorted values; 0 of none.
[[nodiscard]] double percentile(const std::vector<double>& sorted, double share);

}  // namespace evalfleet::bench
