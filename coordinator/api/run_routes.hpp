#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Lists runs, shows, steers and removes them. `services` must outlive the table.
void add_run_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
