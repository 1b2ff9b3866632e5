#pragma once

#include "common/result/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::cli {

/// Where a command's result goes: a file, or standard output. A file appears under its name only
/// when it is complete: it is written beside it and renamed by `finish`. Whatever goes wrong before
/// leaves the old file, or none.
class Output {
  public:
    /// Standard output if no file is given or it is "-".
    [[nodiscard]] static Result<Output> open(const std::optional<std::string>& file);

    ~Output();
    Output(Output&& other) noexcept;
    Output& operator=(Output&&) = delete;

    [[nodiscard]] Status write(std::string_view text);

    /// Must be called once everything has been written.
    [[nodiscard]] Status finish();

  private:
    Output(std::string file, std::string temporary, int descriptor);

    [[nodiscard]] Status flush();
    [[nodiscard]] Error failure(std::string_view what) const;

    std::string file_;       ///< empty: standard output
    std::string temporary_;  ///< empty: there is none (any more)
    int descriptor_;
    std::string buffer_;
};

/// Writes a whole result to standard output.
[[nodiscard]] Status print(std::string_view text);

}  // namespace evalfleet::cli
