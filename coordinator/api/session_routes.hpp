#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

namespace evalfleet::api {

/// Signing in and out with a browser. Everything given must outlive the router.
void add_session_routes(RouteTable& table, Services& services, access::Gatekeeper& gatekeeper);

}  // namespace evalfleet::api
