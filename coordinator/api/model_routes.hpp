#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/run_trials.hpp"

namespace evalfleet::api {

/// How the models that runs ask answer of late. What is given must outlive the router.
void add_model_routes(RouteTable& table, TrialServices& services);

}  // namespace evalfleet::api
