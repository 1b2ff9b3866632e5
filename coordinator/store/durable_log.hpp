#pragma once

#include "common/files/file.hpp"
#include "coordinator/store/log_frame.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace evalfleet::store {

/// The record of a run: an append-only file that is on the disk before anything is acknowledged.
/// Redis may lose everything, this may not.
///
/// One coordinator at a time writes it. Two things hold another one off: a lock on the file while
/// the process lives, and an epoch, written when the log is opened, one higher than the last one
/// found. A file that grew without us means that somebody wrote in spite of the lock (a network
/// file system may lose it): then nothing is appended any more.
///
/// Everything blocks; use it from one thread at a time.
class DurableLog {
  public:
    /// What opening found.
    struct Recovery {
        std::uint64_t entries = 0;    ///< sound ones
        std::uint64_t cut_bytes = 0;  ///< removed from the end: an append that a crash tore
    };

    /// Gets every sound entry of the log that is about a trial, in order, with its offset, by which
    /// a record can be read again.
    using OnEntry = std::function<void(const Entry& entry, std::uint64_t offset)>;

    /// Opens or makes the log, cuts a torn tail off, and begins a new epoch in it.
    /// `transient` if another process holds it, `invalid` if the file is not a log.
    [[nodiscard]] static Result<DurableLog> blocking_open(const std::filesystem::path& path,
                                                          const OnEntry& on_entry);

    /// Appends entries in one write and one sync, and returns their offsets. When it fails (a full
    /// disk), nothing of the batch is in the log, and it may be tried again. `lease_lost`: somebody
    /// else wrote the log; it must not be used any more.
    [[nodiscard]] Result<std::vector<std::uint64_t>> blocking_append(
        std::span<const Entry> entries);

    /// The bytes of the record at an offset.
    [[nodiscard]] Result<std::string> blocking_read(std::uint64_t offset) const;

    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    [[nodiscard]] const Recovery& recovery() const noexcept { return recovery_; }

  private:
    [[nodiscard]] Status blocking_recover(const OnEntry& on_entry);
    [[nodiscard]] Status blocking_check_magic();
    [[nodiscard]] Status blocking_write(std::string_view bytes);

    files::File file_;
    std::uint64_t size_ = 0;  // of what is known to be sound
    std::uint64_t epoch_ = 0;
    Recovery recovery_;
};

}  // namespace evalfleet::store
