#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace evalfleet::terminal
