#pragma once

#include "common/job/run_metadata.hpp"

#include <string>
#include <vector>

namespace evalfleet::reduce {

/// Why a difference between two runs would not be a difference between their models or prompts:
/// other data, another judge or another policy. Empty if there is no reason.
[[nodiscard]] std::vector<std::string> reasons_not_to_compare(const job::RunMetadata& base,
                                                              const job::RunMetadata& candidate);

}  // namespace evalfleet::reduce
