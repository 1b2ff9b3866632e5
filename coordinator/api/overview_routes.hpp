#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/run_trials.hpp"

namespace evalfleet::api {

/// What the pages show of several runs together: samples of two runs, a group as a matrix, a name
/// over time; and what a run file would do before it is handed in.
void add_overview_routes(RouteTable& table, TrialServices& services);

}  // namespace evalfleet::api
