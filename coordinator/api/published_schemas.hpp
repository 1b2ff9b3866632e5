#pragma once

#include <boost/json/object.hpp>

namespace evalfleet::api {

/// Adds the schemas of docs/schemas to `components.schemas` of the OpenAPI document, so that what
/// it says of files is what the files' own schemas say: Record, Summary, GroupSummary, RunMetadata,
/// RunFile; and of the latter the parts Judge and Policy, which requests have by themselves. What a
/// schema has under `$defs` becomes a component named behind it: `Summary.gate`.
void add_published_schemas(boost::json::object& components);

}  // namespace evalfleet::api
