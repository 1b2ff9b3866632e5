#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Runs made from others: judged anew, or tried again. `services` must outlive the table.
void add_derive_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
