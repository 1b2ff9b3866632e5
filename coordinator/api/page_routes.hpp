#pragma once

#include "coordinator/api/route_table.hpp"

namespace evalfleet::api {

/// The pages for people: one application, which answers at every address of its own, and its files.
void add_page_routes(RouteTable& table);

/// Everything that no other route answers is 404: a page in a browser, problem+json to programs.
/// The gatekeeper must outlive the router.
void add_unknown_routes(http::Router& router, access::Gatekeeper& gatekeeper);

}  // namespace evalfleet::api
