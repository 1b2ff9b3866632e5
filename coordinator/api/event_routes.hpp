#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// The progress of a run as server-sent events. `services` must outlive the table.
void add_event_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
