#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace evalfleet::files {

/// An open file of the operating system, closed when destroyed; move-only. Everything here blocks:
/// call it on a blocking pool. Errors are `not_found`, `denied`, `transient`
/// (the disk is full, or fails) or `internal` and name the path.
class File {
  public:
    enum class Mode {
        read,        ///< must be there
        read_write,  ///< made if it is not there
        create_new,  ///< must not be there
    };

    [[nodiscard]] static Result<File> blocking_open(const std::filesystem::path& path, Mode mode);

    File() noexcept = default;
    /// Takes over a descriptor that was opened otherwise.
    File(int descriptor, std::filesystem::path path) noexcept
        : descriptor_(descriptor), path_(std::move(path)) {}
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    ~File();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    [[nodiscard]] Result<std::uint64_t> blocking_size() const;

    /// Reads exactly `buffer.size()` bytes at `offset`; the end of the file before that is an
    /// error.
    [[nodiscard]] Status blocking_read_at(std::uint64_t offset, std::span<char> buffer) const;

    /// Writes everything at `offset`. After an error part of it may be in the file.
    [[nodiscard]] Status blocking_write_at(std::uint64_t offset, std::string_view bytes);

    [[nodiscard]] Status blocking_truncate(std::uint64_t size);

    /// Waits until the content is on the disk.
    [[nodiscard]] Status blocking_sync();

    /// Takes an exclusive lock that ends with the process. False if another process holds it.
    [[nodiscard]] Result<bool> blocking_try_lock();

  private:
    [[nodiscard]] Error failure(std::string_view what) const;

    int descriptor_ = -1;
    std::filesystem::path path_;
};

/// The whole file as a string; `too_large` if it has more than `max_bytes`.
[[nodiscard]] Result<std::string> blocking_read_file(const std::filesystem::path& path,
                                                     std::uint64_t max_bytes);

/// The error of the last failed system call (errno), as a sentence about `path`.
[[nodiscard]] Error last_system_error(std::string_view what, const std::filesystem::path& path);

}  // namespace evalfleet::files
