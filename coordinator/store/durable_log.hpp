#pragma once

#include "common/files/file.hpp"
#include "coordinator/store/log_content.hpp"

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
/// the process lives, and an epoch, written when the log is opened, higher than any before. A file
/// that grew without us means that somebody wrote in spite of the lock (a network file system may
/// lose it): then nothing is appended any more.
///
/// What a disk loses costs what was there and nothing behind it: damaged bytes stay where they are,
/// are passed over whenever the log is read, and are copied to `damaged/` beside it.
///
/// Everything blocks; use it from one thread at a time.
class DurableLog {
  public:
    /// What opening found.
    struct Recovery {
        std::uint64_t entries = 0;        ///< sound ones
        std::uint64_t cut_bytes = 0;      ///< removed from the end: an append that a crash tore
        std::vector<LogDamage> damage{};  ///< of what was whole once
        std::uint64_t missing_bytes = 0;  ///< the log was longer when it was opened last

        [[nodiscard]] bool is_damaged() const noexcept {
            return !damage.empty() || missing_bytes > 0;
        }
        [[nodiscard]] std::uint64_t count_damaged_bytes() const noexcept;
        /// For people; empty if nothing is damaged.
        [[nodiscard]] std::string describe_damage() const;
    };

    /// Gets every sound entry of the log that is about a trial, in order, with its offset, by which
    /// a record can be read again.
    using OnEntry = OnFrame;

    /// Opens or makes the log, cuts a torn tail off, keeps what is damaged aside, and begins a new
    /// epoch in it. `transient` if another process holds it, `invalid` if the file is not a log.
    [[nodiscard]] static Result<DurableLog> blocking_open(const std::filesystem::path& path,
                                                          const OnEntry& on_entry);

    /// Appends entries in one write and one sync, and returns their offsets. When it fails (a full
    /// disk, a disk that fails), nothing of the batch is in the log, and it may be tried again:
    /// after a failed sync the file is opened and read again first, since nobody knows what is on
    /// the disk. `lease_lost`: somebody else wrote the log; it must not be used any more.
    [[nodiscard]] Result<std::vector<std::uint64_t>> blocking_append(
        std::span<const Entry> entries);

    /// The bytes of the record at an offset.
    [[nodiscard]] Result<std::string> blocking_read(std::uint64_t offset) const;

    /// Reads all of it again, from the disk if that can be had, and compares it with what was
    /// written. False: something that was acknowledged is damaged now.
    [[nodiscard]] Result<bool> blocking_is_sound() const;

    /// Something that was acknowledged was not found again: nothing is appended any more. To be
    /// opened anew, which finds out what is left.
    [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

    /// In bytes.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    [[nodiscard]] const Recovery& recovery() const noexcept { return recovery_; }

  private:
    [[nodiscard]] Status blocking_recover(const OnEntry& on_entry);
    [[nodiscard]] Status blocking_check_beginning();
    [[nodiscard]] Status blocking_begin_epoch(std::uint64_t last_epoch);
    [[nodiscard]] Status blocking_write(std::string_view bytes, std::size_t entries);
    [[nodiscard]] Status blocking_reopen();
    [[nodiscard]] Status blocking_reread();
    [[nodiscard]] bool blocking_is_in_place() const;
    [[nodiscard]] Error fenced() const;

    files::File file_;
    std::uint64_t size_ = 0;     // of what is known to be on the disk
    std::uint64_t entries_ = 0;  // sound ones in that
    std::uint64_t epoch_ = 0;
    bool is_suspect_ = false;  // what is behind `size_`, or even before it, is not known
    bool is_broken_ = false;
    Recovery recovery_;
};

}  // namespace evalfleet::store
