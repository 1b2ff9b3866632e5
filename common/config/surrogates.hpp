#pragma once

#include <string>
#include <string_view>

namespace evalfleet::config {

/// JSON writes a character beyond U+FFFF as two escapes (`\ud83d\ude00`), which YAML does not know,
/// though JSON is said to be YAML. Puts the character itself in the place of each such pair; all
/// else, line breaks above all, stays as it is.
[[nodiscard]] std::string join_surrogates(std::string_view text);

}  // namespace evalfleet::config
