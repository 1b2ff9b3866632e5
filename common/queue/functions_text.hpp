#pragma once

#include <string_view>

namespace evalfleet::queue {

/// The text of functions.lua, the queue's Redis functions. Their contract stands there.
[[nodiscard]] std::string_view functions_text() noexcept;

}  // namespace evalfleet::queue
