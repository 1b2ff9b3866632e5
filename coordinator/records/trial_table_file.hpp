#pragma once

#include "coordinator/records/trial_table.hpp"

#include <cstdint>
#include <filesystem>

namespace evalfleet::records {

/// A table of trials in a file: 64 bytes a trial, so that the trials of a run are there in the time
/// it takes to read that, however long their records are.
///
///     "EFTRIAL1", u64 bytes of the records, i64 their time of change (ns), u64 trials, u64 bytes
///     of the slices, u32 CRC-32C of all that follows; a trial for each; then the slices as JSON:
///     [[task type, key, value, key, value, ...], ...]; all little-endian
///
/// Everything blocks.
class TrialTableFile {
  public:
    /// Which records a table is about.
    struct Source {
        std::uint64_t bytes = 0;
        std::int64_t changed_ns = 0;
        bool operator==(const Source&) const = default;
    };

    /// Errors name the file.
    [[nodiscard]] static Result<Source> blocking_source(const std::filesystem::path& records);

    /// The table of `records`. An error if there is none, or none of `source`, or it is broken.
    [[nodiscard]] static Result<TrialTable> blocking_read(const std::filesystem::path& file,
                                                          const std::filesystem::path& records,
                                                          const Source& source);

    [[nodiscard]] static Status blocking_write(const std::filesystem::path& file,
                                               const TrialTable& table, const Source& source);
};

}  // namespace evalfleet::records
