#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::terminal {

/// How many columns the terminal behind a descriptor has; nothing if it is none, or does not say.
[[nodiscard]] std::optional<std::size_t> width_of(int descriptor);

/// `text` with every control character as "?": names come from elsewhere, and must not be able to
/// steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// How many columns a text takes, counted as one for each code point.
[[nodiscard]] std::size_t count_columns(std::string_view text);

/// At most so many columns of `text`; what is cut ends with "…".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns);

/// The text in lines of at most so many columns, broken at blanks; a word that is longer is broken
/// wherever it must. At least one line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t columns);

}  // namespace evalfleet::terminal
