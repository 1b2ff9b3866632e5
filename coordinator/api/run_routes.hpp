#pragma once

#include "common/http/router.hpp"
#include "coordinator/runs/run_registry.hpp"

namespace evalfleet::api {

/// The routes under /api/v1/runs: submitting, watching and steering runs. `registry` must outlive
/// the router.
void add_run_routes(http::Router& router, runs::RunRegistry& registry);

}  // namespace evalfleet::api
