#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Runs seen together: groups and comparisons. `services` must outlive the table.
void add_group_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
