#pragma once

#include "common/json/field_reader.hpp"

namespace evalfleet::json {

/// Reads the JSON number at `from` up to a character that may stand behind a value. False if there
/// is none, or one that needs more care than this takes: with 19 digits or more before the point,
/// or near the ends of the range of a double. So many characters as are no such end must be
/// readable.
[[nodiscard]] bool read_plain_number(const char* from, FieldValue& value) noexcept;

/// The same without its value: true only if `read_plain_number` takes it or it is a real number
/// well within the range.
[[nodiscard]] bool is_plain_number(const char* from) noexcept;

/// The end of a literal or number: white space, or what separates and closes.
[[nodiscard]] constexpr bool may_follow_value(char c) noexcept {
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace evalfleet::json
