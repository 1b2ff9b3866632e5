#pragma once

#include "common/json/value.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace evalfleet::cli {

inline constexpr std::size_t kMaxDifferences = 100;

/// Every place in which two JSON values differ, as `path: stored X, recomputed Y`; stops after
/// kMaxDifferences. Numbers are compared as they are, without tolerance.
[[nodiscard]] std::vector<std::string> json_differences(json::Value stored, json::Value recomputed);

}  // namespace evalfleet::cli
