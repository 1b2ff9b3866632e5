#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Takes runs in. `services` must outlive the table.
void add_submit_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
