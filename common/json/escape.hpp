#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evalfleet::json {

/// Appends `text` to `out` with the least escaping RFC 8259 allows: quote, backslash and control
/// characters; UTF-8 stays as it is. Each byte that is not part of well-formed UTF-8 becomes
/// U+FFFD, so what is appended is always valid inside a JSON string. Adds no quotes.
void append_escaped(std::string& out, std::string_view text);

/// What a backslash and this letter stand for; NUL if that is no escape of one letter.
[[nodiscard]] constexpr char escaped_letter(char letter) noexcept {
    switch (letter) {
        case '"':
        case '\\':
        case '/':
            return letter;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return '\0';
    }
}

/// The length (1-4) of the well-formed UTF-8 sequence that `text` begins with, 0 if there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text) noexcept;

/// True if `text` is well-formed UTF-8 throughout.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace evalfleet::json
