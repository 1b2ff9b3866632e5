#pragma once

#include "common/files/file.hpp"
#include "coordinator/store/log_content.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace evalfleet::store {

/// Reads a file of which parts may be unreadable: those read as zeros, which are no frames. Blocks.
class PatientReader {
  public:
    explicit PatientReader(const files::File& file) : file_(file) {}

    [[nodiscard]] Status blocking_read(std::uint64_t offset, std::span<char> buffer);

    /// The last page that could not be read, if any.
    [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }

  private:
    const files::File& file_;
    std::optional<Error> failure_;
};

/// Where damaged parts of a log are kept: `damaged/` beside it, one file a place, named by offset
/// and size.
[[nodiscard]] std::filesystem::path damage_folder_of(const std::filesystem::path& log);

/// Copies the damaged parts there for somebody to look at; those that are there already stay. At
/// most 1,000 places and 64 MiB are kept. Blocks.
[[nodiscard]] Status blocking_keep_damage(const files::File& log,
                                          const std::vector<LogDamage>& damage);

}  // namespace evalfleet::store
