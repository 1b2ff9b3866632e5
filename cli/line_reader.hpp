#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::cli {

/// Reads a JSON Lines file line by line in constant memory. A line ends at a line feed and nothing
/// else: U+0085 and U+2028 may stand inside strings. Blank lines are skipped, but counted.
class LineReader {
  public:
    /// Longer lines are refused.
    static constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024 * 1024;

    struct Line {
        std::size_t number;     ///< from 1
        std::string_view text;  ///< without its line feed; valid until the next call
    };

    /// Opens a file, or standard input for "-".
    [[nodiscard]] static Result<LineReader> open(const std::string& file);

    ~LineReader();
    LineReader(LineReader&& other) noexcept;
    LineReader& operator=(LineReader&&) = delete;

    /// The next line that is not blank; nothing at the end of the file.
    [[nodiscard]] Result<std::optional<Line>> next();

    /// `file:line: message`, for an error in the last line.
    [[nodiscard]] Error locate(const Error& error) const;

  private:
    LineReader(std::string name, int descriptor);

    /// Moves what is left to the front and reads more behind it; false at the end of the file.
    Result<bool> fill();
    [[nodiscard]] Line take(std::size_t length, std::size_t terminator);

    std::string name_;
    int descriptor_;
    std::string buffer_;
    std::size_t begin_ = 0;  ///< of the first byte that has not been given out
    std::size_t end_ = 0;    ///< behind the last byte that has been read
    std::size_t line_ = 0;
    bool at_end_ = false;
};

}  // namespace evalfleet::cli
