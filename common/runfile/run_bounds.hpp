#pragma once

#include "common/job/run_spec.hpp"
#include "common/runfile/run_file.hpp"

#include <cstdint>

/// How much one run file may ask for, so that a small file cannot take a coordinator's memory.
namespace evalfleet::runfile {

/// Of a run file: as it is, with every alias written out, and as the JSON that is handed in.
inline constexpr std::uint64_t kMaxRunFileBytes = std::uint64_t{4} * 1024 * 1024;

/// Models x prompts: each is a run of its own, with a log, a connection and what it has in flight.
inline constexpr std::uint64_t kMaxGroupRuns = 256;

/// Of the specifications of all runs of a group, each with its model and its prompt, as JSON.
inline constexpr std::uint64_t kMaxGroupBytes = std::uint64_t{32} * 1024 * 1024;

/// Of all runs of a file together, unless the operator says otherwise: `--max-trials`.
inline constexpr std::uint64_t kDefaultMaxTrials = 100'000'000;
inline constexpr std::uint64_t kMostMaxTrials = 10'000'000'000;

/// What a run file becomes. Pure.
struct RunExtent {
    std::uint64_t runs = 0;        ///< models x prompts
    std::uint64_t file_bytes = 0;  ///< as JSON
    std::uint64_t bytes = 0;       ///< of all runs together
    [[nodiscard]] static RunExtent of(const job::RunSpec& spec);
};

/// A fault if samples x repeats x models x prompts is more than `max_trials`; with the numbers.
[[nodiscard]] FaultList check_trials(const RunFile& file, std::uint64_t samples,
                                     std::uint64_t max_trials);

}  // namespace evalfleet::runfile
