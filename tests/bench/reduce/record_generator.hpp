#pragma once

#include <cstdint>
#include <filesystem>

namespace evalfleet::bench {

/// What a generated run looks like. Four task types and three tags of 3, 2 and 5 values; lognormal
/// latencies; a few per cent of timeouts, errors and evaluator failures. Some 55 fields and 1.3 KB
/// a record.
struct GeneratedRun {
    std::uint64_t records = 1'000'000;
    std::uint32_t repeats = 1;
    std::uint64_t seed = 1;
};

/// Writes the run, sorted like the records of a finished run, and returns the file's size.
std::uint64_t generate_records(const std::filesystem::path& file, const GeneratedRun& run);

}  // namespace evalfleet::bench
