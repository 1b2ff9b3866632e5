#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace evalfleet::job {

/// The allowed name that a misspelt one most likely means; none if all are too different.
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view misspelt, std::span<const std::string_view> allowed);

}  // namespace evalfleet::job
