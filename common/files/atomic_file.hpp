#pragma once

#include "common/files/file.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace evalfleet::files {

/// A file that appears whole or not at all: written under another name in the same folder, synced,
/// then renamed. Destroyed without `blocking_commit()` it leaves nothing behind.
class AtomicFile {
  public:
    [[nodiscard]] static Result<AtomicFile> blocking_create(const std::filesystem::path& target);

    AtomicFile() noexcept = default;
    AtomicFile(AtomicFile&& other) noexcept = default;
    AtomicFile& operator=(AtomicFile&& other) noexcept = default;
    ~AtomicFile();

    /// Appends; small pieces are gathered before they are written.
    [[nodiscard]] Status blocking_append(std::string_view bytes);

    /// Makes the file visible under its name, durably.
    [[nodiscard]] Status blocking_commit();

  private:
    [[nodiscard]] Status blocking_flush();

    File file_;
    std::filesystem::path target_;
    std::string pending_;
    std::uint64_t written_ = 0;
};

/// The whole content in one step.
[[nodiscard]] Status blocking_write_atomically(const std::filesystem::path& target,
                                               std::string_view content);

/// Makes the names in a folder durable: after files in it were made, renamed or removed.
[[nodiscard]] Status blocking_sync_folder(const std::filesystem::path& folder);

}  // namespace evalfleet::files
