#pragma once

#include "coordinator/reduce/group_reducer.hpp"

#include <array>
#include <string>
#include <vector>

namespace evalfleet::reduce {

/// Rank, name, aggregate score, pass rate, p95 and what is to be said of a run or slice. Names are
/// as submitters wrote them.
using GroupRow = std::array<std::string, 6>;

/// The ranking, then the slices by model and by prompt template version if there are several; the
/// first row of each is its head.
[[nodiscard]] std::vector<std::vector<GroupRow>> tables_of(const GroupSummary& summary);

}  // namespace evalfleet::reduce
