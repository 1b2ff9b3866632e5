#pragma once

#include <cstddef>
#include <string_view>

namespace evalfleet::scoring {

/// How many words a UTF-8 text has: runs of characters that are not Unicode White_Space. A text is
/// blank when it has none. Bytes that are not UTF-8 count as text.
[[nodiscard]] std::size_t count_words(std::string_view text) noexcept;

}  // namespace evalfleet::scoring
