#pragma once

#include <string_view>

namespace evalfleet::queue {

/// The queue's Redis functions: the files in functions/, whose comments are their contract, as one
/// library.
[[nodiscard]] std::string_view functions_text() noexcept;

}  // namespace evalfleet::queue
