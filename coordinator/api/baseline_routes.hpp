#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Names for runs that others must not fall behind. `services` must outlive the table.
void add_baseline_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
