#include "worker/permits/permit_metrics.hpp"

namespace evalfleet::worker {

PermitMetrics::PermitMetrics(metrics::Registry& registry, const std::string& provider)
    : in_use(registry.gauge("evalfleet_worker_permits_in_use",
                            "Calls of this worker under way, by provider",
                            {{"provider", provider}})),
      waiting(registry.gauge("evalfleet_worker_permits_waiting",
                             "Calls of this worker that wait for a permit",
                             {{"provider", provider}})),
      limit(registry.gauge("evalfleet_worker_permit_limit",
                           "Calls at once of all workers, as configured or learnt",
                           {{"provider", provider}})),
      rate(registry.gauge("evalfleet_worker_permit_rate",
                          "Calls a second of all workers, as learnt; 0: any number",
                          {{"provider", provider}})),
      paused(registry.gauge("evalfleet_worker_permit_paused_seconds",
                            "Time for which nobody calls the provider, since it refused",
                            {{"provider", provider}})),
      throttled(registry.counter("evalfleet_worker_throttled_total",
                                 "Calls that the provider refused with 429",
                                 {{"provider", provider}})),
      wait(registry.histogram("evalfleet_worker_permit_wait_seconds",
                              "Time that calls waited for a permit", metrics::latency_buckets(),
                              {{"provider", provider}})) {}

}  // namespace evalfleet::worker
