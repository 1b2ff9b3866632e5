#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::config {

/// The name among `known` that someone who typed `typed` most likely meant: the one fewest edits
/// away, if they are few for its length. nullopt if nothing is near.
[[nodiscard]] std::optional<std::string> nearest(std::string_view typed,
                                                 std::span<const std::string> known);

/// " Did you mean 'x'?" or nothing, to put behind an error message.
[[nodiscard]] std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace evalfleet::config
