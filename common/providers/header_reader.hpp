#pragma once

#include "common/config/fields.hpp"
#include "common/providers/provider_config.hpp"

#include <string>

namespace evalfleet::providers {

/// The member `name` of a map of headers, which must be there: a text, or `{env: NAME}` or
/// `{file: PATH}`, perhaps with `prefix: "Bearer "`. Faults go to the fields' validator.
[[nodiscard]] ExtraHeader read_header(config::Fields& headers, const std::string& name);

}  // namespace evalfleet::providers
