#pragma once

#include "common/redaction/scan.hpp"
#include "common/redaction/secret_name.hpp"
#include "common/redaction/secret_value.hpp"

#include <string>
#include <string_view>

namespace evalfleet::redaction {

// What the scanners of assignments share.

inline constexpr std::size_t kMaxName = 48;
inline constexpr std::size_t kMaxGap = 8;

[[nodiscard]] constexpr bool is_name_char(char c) noexcept {
    return is_key_char(c) || c == '.';
}
[[nodiscard]] constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}
/// Between a name and its value: blanks, quotes that may be escaped, the end of an index.
[[nodiscard]] constexpr bool is_filler(char c) noexcept {
    return is_blank(c) || is_quote(c) || c == '\\' || c == ']';
}
[[nodiscard]] constexpr bool is_line_end(char c) noexcept {
    return c == '\n' || c == '\r' || c == '\0';
}

/// The value, if it is a secret behind a name of that kind.
[[nodiscard]] Found judged(Scan& scan, NameKind name, Value value);

/// The word that ends before `end`, with quotes and blanks between, and where it begins.
[[nodiscard]] std::string_view word_before(Scan& scan, std::size_t end, std::size_t& begin);

/// In running text the word before "key" says what it opens: "API key: ...".
[[nodiscard]] NameKind classify_in_text(Scan& scan, std::size_t begin, std::string_view name);

/// What stands before `i`, in small letters: as much as may tell whose secret it is.
[[nodiscard]] std::string lower_before(Scan& scan, std::size_t i);

}  // namespace evalfleet::redaction
