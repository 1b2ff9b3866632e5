#pragma once

#include "common/files/file.hpp"
#include "common/job/sha256.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::runfile {

/// Goes once through a file of lines, however large, in constant memory, and takes its hash on the
/// way. A line ends with LF or CR LF; the last one may end with the file. A UTF-8 byte order mark
/// at the start of the file is no part of the first line, but of the hash.
class LineScanner {
  public:
    struct Line {
        std::uint64_t offset = 0;  ///< of its first byte in the file
        std::string_view text;     ///< without its end; valid until the next call
        bool too_long = false;     ///< more than `max_line_bytes`; `text` is its beginning
    };

    /// `file` must outlive the scanner. What is appended to it later is not seen.
    LineScanner(const files::File& file, std::uint64_t size, std::size_t max_line_bytes);

    /// The next line; nothing behind the last one.
    [[nodiscard]] Result<std::optional<Line>> blocking_next();

    /// Of the whole file, in hex; to be called once, at the end.
    [[nodiscard]] std::string sha256() { return hash_.hex(); }

  private:
    [[nodiscard]] Status blocking_fill();
    [[nodiscard]] Result<std::optional<Line>> blocking_skip_rest(std::uint64_t offset);
    [[nodiscard]] Line take(std::size_t length, std::size_t end_length);

    const files::File& file_;
    std::uint64_t size_;
    std::size_t max_line_bytes_;
    job::Sha256 hash_;
    std::string buffer_;
    std::size_t at_ = 0;           ///< of the next line in buffer_
    std::size_t filled_ = 0;       ///< bytes of buffer_ in use
    std::uint64_t next_read_ = 0;  ///< offset in the file behind what is in buffer_
    std::string beginning_;        ///< of a line that is too long
};

}  // namespace evalfleet::runfile
