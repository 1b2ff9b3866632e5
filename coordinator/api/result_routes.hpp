#pragma once

#include "coordinator/api/route_table.hpp"
#include "coordinator/api/services.hpp"

#include <string_view>

namespace evalfleet::api {

/// For report pages. Each names the one script that may run in it. It was made from what models
/// said, so that it is kept apart from us all the same: it belongs to no site, and can ask us for
/// nothing.
inline constexpr std::string_view kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";

/// What runs left: metadata, summary, records, reports. `services` must outlive the table.
void add_result_routes(RouteTable& table, Services& services);

}  // namespace evalfleet::api
