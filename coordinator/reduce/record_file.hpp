#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// A file that several threads read pieces of. Read, not mapped: pages of a mapping would count as
/// our memory, and a file that is cut meanwhile would end the process.
class RecordFile {
  public:
    [[nodiscard]] static Result<RecordFile> open(const std::filesystem::path& path);

    RecordFile(RecordFile&& other) noexcept;
    RecordFile& operator=(RecordFile&&) = delete;
    ~RecordFile();

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Fills `out` from `offset` on; the number of bytes is less only at the end of the file.
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<char> out) const;

    /// The 1-based number of the line that begins at, or contains, `offset`.
    [[nodiscard]] Result<std::uint64_t> line_number(std::uint64_t offset) const;

  private:
    RecordFile(int descriptor, std::uint64_t size, std::string name)
        : descriptor_(descriptor), size_(size), name_(std::move(name)) {}

    int descriptor_;
    std::uint64_t size_;
    std::string name_;
};

/// The lines that begin in one block of a file. A line belongs to the block its first byte is in,
/// so that any division into blocks yields every line once.
class LineBuffer {
  public:
    struct Line {
        std::string_view text;  ///< without the line feed, with padding for json::FieldReader
        std::uint64_t offset;   ///< of its first byte
    };

    /// Reads the lines that begin in [begin, begin + block_bytes). `too_large` for a line of more
    /// than `max_line_bytes`.
    [[nodiscard]] Status fill(const RecordFile& file, std::uint64_t begin, std::size_t block_bytes,
                              std::size_t max_line_bytes);

    /// Where the line begins that `fill` found too long.
    [[nodiscard]] std::uint64_t fault_offset() const noexcept { return offset_ + at_; }

    /// The next line that is not blank; valid until the next `fill`.
    [[nodiscard]] std::optional<Line> next_line() noexcept;

  private:
    std::vector<char> bytes_;
    std::uint64_t offset_ = 0;  ///< of bytes_[0] in the file
    std::size_t used_ = 0;
    std::size_t at_ = 0;   ///< where the next line begins
    std::size_t end_ = 0;  ///< lines that begin here or later are not ours
};

}  // namespace evalfleet::reduce
