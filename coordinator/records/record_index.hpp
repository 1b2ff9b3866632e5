#pragma once

#include "common/files/file.hpp"
#include "common/result/result.hpp"
#include "coordinator/records/record_filter.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace evalfleet::records {

/// The keys of all records of a file, in its order, in a file of their own: 18 bytes a record, so
/// that a filter looks through millions of records without reading them. Made when it is first
/// asked for, and again when the records changed.
///
///     "EFINDEX1", u64 size of the records, i64 their time of change (ns), then a key for each: u64
///     offset, u64 hash of the type, u8 label, u8 passed; all little-endian
///
/// Everything blocks. Different threads may read one index.
class RecordIndex {
  public:
    /// Opens the index of `records`, or makes it. Errors name the file; `invalid` for a line that
    /// is no record.
    [[nodiscard]] static Result<RecordIndex> blocking_open(const std::filesystem::path& records,
                                                           const std::filesystem::path& index);

    [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t records_bytes() const noexcept { return records_bytes_; }

    /// Fills `keys` from record `first` on; how many there were.
    [[nodiscard]] Result<std::size_t> blocking_read(std::uint64_t first,
                                                    std::span<RecordKey> keys) const;

  private:
    struct Source {
        std::uint64_t bytes = 0;
        std::int64_t changed_ns = 0;
        bool operator==(const Source&) const = default;
    };

    [[nodiscard]] static Result<Source> blocking_source(const std::filesystem::path& records);
    [[nodiscard]] static Status blocking_make(const std::filesystem::path& records,
                                              const std::filesystem::path& index,
                                              const Source& source);
    [[nodiscard]] Status blocking_load(const std::filesystem::path& index, const Source& source);

    files::File file_;
    std::uint64_t count_ = 0;
    std::uint64_t records_bytes_ = 0;
};

}  // namespace evalfleet::records
