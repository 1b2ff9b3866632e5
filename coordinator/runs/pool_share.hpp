#pragma once

#include "common/queue/types.hpp"

#include <string_view>

namespace evalfleet::runs {

/// True if nothing of a run is under way: no worker has a trial of it, and every result that came
/// back was taken out. What other runs have under way does not count; a run that the pool does not
/// know has nothing. Pure.
[[nodiscard]] bool is_drained(const queue::PoolStats& stats, std::string_view run_id);

}  // namespace evalfleet::runs
