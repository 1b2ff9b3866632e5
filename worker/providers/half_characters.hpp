#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Servers that cut an answer into tokens may cut a character beyond the BMP in two, and send each
/// half of its surrogate pair in a piece of its own. Neither is a character, so that no JSON parser
/// takes them. All pure.
namespace evalfleet::worker {

/// What becomes of a half pair in a JSON text.
enum class HalfPair {
    mark,     ///< a character of private use that `join_halves` knows
    replace,  ///< U+FFFD: there is no other half to come
};

/// A JSON text without escapes of half pairs; nothing if it has none.
[[nodiscard]] std::optional<std::string> mend_halves(std::string_view json, HalfPair how);

/// Joins marked halves that follow each other to the character that they are; what is left over
/// becomes U+FFFD. For text out of mended JSON only: elsewhere the marks may be meant.
[[nodiscard]] std::string join_halves(std::string_view text);

}  // namespace evalfleet::worker
