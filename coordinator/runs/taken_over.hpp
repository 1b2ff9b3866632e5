#pragma once

#include <string_view>

namespace evalfleet::runs {

/// Member of a record that a run took over as a whole: the run that made its calls, and paid for
/// them out of its own budgets.
inline constexpr std::string_view kTakenOverFrom = "taken_over_from";

}  // namespace evalfleet::runs
