#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::chaos {

/// What came of faults of one class, summed over all times they were injected.
struct ClassTally {
    std::size_t injected = 0;
    std::size_t trials = 0;
    std::size_t lost = 0;
    std::size_t doubled = 0;
    std::size_t repeated = 0;          ///< model calls made again
    std::vector<double> recovery_s{};  ///< each time
};
using Tally = std::map<std::string, ClassTally>;

void add(Tally& tally, const std::string& fault, const ClassTally& more);

/// One line of text about one time, with tabs between class, numbers and recoveries, for tables of
/// several programs that play side by side; and back. `add_line` throws if it is no such line.
[[nodiscard]] std::string to_line(const std::string& fault, const ClassTally& tally);
void add_line(Tally& tally, const std::string& line);

/// A Markdown table: class, injected, trials, lost, doubled, calls repeated, recovery in seconds
/// (median and longest). The last line is the sum.
[[nodiscard]] std::string to_markdown(const Tally& tally);

}  // namespace evalfleet::chaos
