#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/run_trials.hpp"

namespace evalfleet::api {

/// What the pages show of one run: its trials, samples, gates as they form, its course over time,
/// and what people say of the judge.
void add_view_routes(RouteTable& table, TrialServices& services);

}  // namespace evalfleet::api
