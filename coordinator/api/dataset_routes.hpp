#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Takes data sets in, lists and shows them. `services` must outlive the table.
void add_dataset_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
