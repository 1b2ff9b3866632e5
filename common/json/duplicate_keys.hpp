#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

namespace evalfleet::json {

/// An error that names the first object of the tree in which a key stands twice, and the key.
[[nodiscard]] Status check_unique_keys(Value root);

}  // namespace evalfleet::json
