#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// What runs left: metadata, summary, records, reports. `services` must outlive the table.
void add_result_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
