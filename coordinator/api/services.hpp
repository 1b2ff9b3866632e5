#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/async/heavy_pool.hpp"
#include "common/log/logger.hpp"
#include "common/queue/worker_roster.hpp"
#include "common/runfile/run_bounds.hpp"
#include "coordinator/catalog/run_catalog.hpp"
#include "coordinator/datasets/dataset_library.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_registry.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::api {

/// What the routes are made of. Outlives the router.
struct Services {
    runs::RunRegistry& registry;
    const runs::PoolWatch& pool_watch;
    queue::WorkerRoster& roster;
    catalog::RunCatalog& catalog;
    datasets::DatasetLibrary& datasets;
    async::BlockingPool& quick_pool;  ///< for a file or two
    async::BlockingPool& look_pool;   ///< for tables of trials that are in memory
    async::HeavyPool& report_pool;    ///< for reading the records of runs
    async::HeavyPool& request_pool;   ///< for taking something in
    async::Clock& clock;
    log::Logger logger;

    std::string pool_name{};
    std::filesystem::path store{};
    std::vector<std::filesystem::path> dataset_roots{};
    std::filesystem::path providers_file{};  ///< empty: names of providers are not checked
    std::uint64_t max_dataset_bytes = std::uint64_t{2} * 1024 * 1024 * 1024;
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;  ///< of one submission
    bool is_tls = false;
    bool is_view = false;  ///< runs are looked at, none is kept: there is no Redis and no fleet
};

}  // namespace evalfleet::api
