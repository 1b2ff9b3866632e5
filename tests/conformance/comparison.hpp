#pragma once

#include "common/json/value.hpp"

#include <string>
#include <vector>

namespace evalfleet::conformance {

/// Everything in which `actual` is not what the vectors expect, one sentence each. The rules of the
/// vectors: doubles within 1e-12 relative, everything else exact, numbers by value; every expected
/// key must be there, more keys are allowed except where keys are data or a closed list.
[[nodiscard]] std::vector<std::string> differences(json::Value expected, json::Value actual,
                                                   const std::string& path);

}  // namespace evalfleet::conformance
