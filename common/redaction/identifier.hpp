#pragma once

#include <string>
#include <string_view>

namespace evalfleet::redaction {

/// What stands in an identifier is glued to it: `r-1-617-617-5838`, `req_536_90_4399x`,
/// `job617-617-5838`. The same name with its numbers apart, one byte for each byte: what separates
/// a part with letters from others is a line end, so that every number is judged alone.
/// Replacements made before stay as they are.
[[nodiscard]] std::string with_numbers_apart(std::string_view name);

}  // namespace evalfleet::redaction
