#pragma once

#include "common/http/router.hpp"
#include "common/metrics/registry.hpp"
#include "coordinator/access/gatekeeper.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_registry.hpp"

namespace evalfleet::api {

/// `/metrics`; `/healthz`, which is fine as long as the process answers; `/readyz`, which says what
/// is missing: the store was not read yet, or Redis is away. Everything given must outlive the
/// router. `metrics_guard`: lets only readers see the metrics; null: everybody may.
void add_status_routes(http::Router& router, const metrics::Registry& metrics,
                       const runs::RunRegistry& registry, const runs::PoolWatch& pool_watch,
                       access::Gatekeeper* metrics_guard = nullptr);

}  // namespace evalfleet::api
