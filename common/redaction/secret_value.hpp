#pragma once

#include "common/redaction/scan.hpp"
#include "common/redaction/secret_name.hpp"

namespace evalfleet::redaction {

/// A value behind a telling name, and how it stands there.
struct Value {
    std::size_t begin = 0;
    std::size_t end = 0;
    char sign = '\0';          ///< ':' or '=' between them; none behind a flag or an element
    char quote = '\0';         ///< that it is in; none: bare
    bool spaced = false;       ///< a blank stands before it
    bool starts_line = false;  ///< the name is the first word of its line, or one after a blank
    bool starts_text = false;  ///< a quote stands before the name
    bool env_style = false;    ///< the name has no small letters
    bool told = false;         ///< in running text: "the password is ..."
    bool passed = false;       ///< to a program: behind a flag, or in a URL's query
};

[[nodiscard]] constexpr bool is_quote(char c) noexcept {
    return c == '"' || c == '\'' || c == '`';
}

[[nodiscard]] bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept;

/// Tells a generated token from a word: it has a digit, or capitals inside and small letters.
[[nodiscard]] bool looks_generated(std::string_view token);

/// For the value of a header whose scheme is known: no word of a sentence.
[[nodiscard]] bool is_token_like(std::string_view token);

/// Letters alone that no word of a sentence about a password looks like: "saddlepepper", but not
/// "unnecessary".
[[nodiscard]] bool is_joined_words(std::string_view text);

/// Letters and digits in turns, as no word has them, nor a name with a number behind it.
[[nodiscard]] bool is_strong(std::string_view token);

/// Where a value begins behind its separator, at `i`, and how it is written: on the same line, or
/// on the next one as YAML, JSON and the shell may have it.
[[nodiscard]] Value value_from(Scan& scan, std::size_t i, char sign);

/// The secret of an elliptic key in a JSON Web Key: 32 bytes or more, in base64.
[[nodiscard]] bool is_private_number(Scan& scan, Value value);

/// Finds the value's end, or as much as it takes to judge it; false if there is none.
[[nodiscard]] bool read_value(Scan& scan, Value& value);
/// The rest of one that was too long for that.
void read_rest(Scan& scan, Value& value);

/// Whether what was read is a secret, given the name, and not code, a placeholder, or text about
/// one.
[[nodiscard]] bool is_secret_value(const Scan& scan, NameKind name, const Value& value);

}  // namespace evalfleet::redaction
