#pragma once

#include "common/result/error.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace evalfleet::json {

/// Finds the first fault of a text that is not acceptable JSON and says where it stands and why:
/// `line 3, column 14: expected ':' behind a key, found '='`. Columns count bytes, from 1. Nesting
/// deeper than `max_depth` is `too_large`. nullopt if the text is fine. Linear time.
[[nodiscard]] std::optional<Error> diagnose(std::string_view text, std::size_t max_depth);

}  // namespace evalfleet::json
