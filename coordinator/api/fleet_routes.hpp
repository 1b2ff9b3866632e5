#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Workers and queues. `services` must outlive the table.
void add_fleet_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
