#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::text {

/// The name among `known` that someone who typed `typed` most likely meant: the one fewest edits
/// away, if they are few for its length. nullopt if nothing is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view typed,
                                                      std::span<const std::string_view> known);
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view typed,
                                                      std::span<const std::string> known);

/// `did you mean "x"? ` or nothing, to put before the list of what is allowed.
template <class Names>
[[nodiscard]] std::string did_you_mean(std::string_view typed, const Names& known) {
    const auto name = nearest(typed, known);
    return name ? "did you mean \"" + std::string(*name) + "\"? " : "";
}

}  // namespace evalfleet::text
