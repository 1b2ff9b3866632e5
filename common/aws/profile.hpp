#pragma once

#include "common/aws/sigv4.hpp"

#include <string_view>

namespace evalfleet::aws {

/// The section `[profile]` of a credentials file of AWS's, as far as it is there: what is missing
/// is empty. Pure.
[[nodiscard]] Credentials read_profile(std::string_view text, std::string_view profile);

}  // namespace evalfleet::aws
