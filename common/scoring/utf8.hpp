#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// The length in bytes of the character that `text` begins with, or 0 if that is not well-formed
/// UTF-8 (overlong forms, surrogates and code points over U+10FFFF are not) or `text` is empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// How many characters (code points) a UTF-8 text has; a malformed byte counts as one.
[[nodiscard]] std::size_t utf8_count(std::string_view text) noexcept;

/// Appends a code point that is not a surrogate.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace evalfleet::scoring
