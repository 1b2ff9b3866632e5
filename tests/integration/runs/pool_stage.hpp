#pragma once

#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_keeper.hpp"
#include "tests/integration/runs/run_stage.hpp"

namespace evalfleet::runs {

/// A stage with what every run of a coordinator uses together.
class PoolStage : public RunStage {
  public:
    PoolStage() : RunStage(1) { with(watch.run()); }

    RunDeps deps(async::Clock& its_clock) {
        RunDeps deps{.client = client,
                     .functions = functions,
                     .keys = keys,
                     .blocking_config = redis::quick_config(server.url()),
                     .pool_watch = watch,
                     .metrics = figures,
                     .pool = pool,
                     .durable = pool,
                     .heavy = heavy,
                     .requests = heavy,
                     .clock = its_clock,
                     .logger = log::Logger(),
                     .window = {100, 1 << 20},
                     .audit = {},
                     .collect = {}};
        deps.blocking_config.longest_block = std::chrono::milliseconds(100);
        deps.store_id = std::string(32, 'a');
        return deps;
    }

    async::HeavyPool heavy{{}};
    queue::PoolQueue pool_queue{functions, keys};
    queue::PermitQueue permits{functions, keys, "coordinator"};
    queue::WorkerRoster roster{client, keys};
    PoolWatch watch{pool_queue, permits, roster, client, figures, clock, log::Logger()};
};

}  // namespace evalfleet::runs
