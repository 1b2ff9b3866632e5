#pragma once

#include "coordinator/api/route_table.hpp"

#include <string>

namespace evalfleet::api {

/// A pattern as OpenAPI writes it, which knows no parameter that takes several segments. Pure.
[[nodiscard]] std::string described_path(std::string pattern);

/// The routes of a table as an OpenAPI 3.1 document. Pure.
[[nodiscard]] std::string openapi_json(const RouteTable& table);

/// The same for people: one page without a script. Pure.
[[nodiscard]] std::string api_page(const RouteTable& table);

/// Adds /api/v1/openapi.json and /api, which describe everything in the table, themselves included.
/// To be called last. The table must outlive the router it is installed in.
void add_description_routes(RouteTable& table);

}  // namespace evalfleet::api
