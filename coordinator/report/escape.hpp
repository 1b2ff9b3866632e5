#pragma once

#include <string>
#include <string_view>

namespace evalfleet::report {

/// For the text and attribute values of XML 1.0 and HTML: markup characters are escaped; what no
/// XML document may contain (control characters, U+FFFE, U+FFFF, malformed UTF-8) becomes U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// For a cell of a Markdown table: one line, no markup, no HTML.
[[nodiscard]] std::string escape_markdown(std::string_view text);

/// For a terminal: control characters, which could move the cursor or change the title, become
/// U+FFFD; line feeds become spaces.
[[nodiscard]] std::string escape_terminal(std::string_view text);

/// A field of CSV, in quotes where needed; with an apostrophe in front if a spreadsheet would
/// execute it as a formula.
[[nodiscard]] std::string escape_csv(std::string_view text);

/// At most `max_characters` characters, with an ellipsis if there were more.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t max_characters);

/// How many columns of a terminal a text takes, roughly: characters, wide ones counted as one.
[[nodiscard]] std::size_t count_columns(std::string_view text) noexcept;

}  // namespace evalfleet::report
