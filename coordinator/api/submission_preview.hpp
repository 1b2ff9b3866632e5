#pragma once

#include "coordinator/api/services.hpp"

#include <string>
#include <string_view>

namespace evalfleet::api {

/// Checks a run file as a submission is checked: VALIDATION of docs/api.md, with every fault or
/// with what the run would do. The error is ours: a store that cannot be read. Blocks.
[[nodiscard]] Result<std::string> blocking_preview_json(Services& services, std::string_view text);

}  // namespace evalfleet::api
