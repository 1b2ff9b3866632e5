#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/config.hpp"
#include "worker/call/provider_health.hpp"
#include "worker/executor/held_jobs.hpp"
#include "worker/status/worker_metrics.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evalfleet::worker {

struct HeartbeaterConfig {
    redis::Config redis;
    queue::Keys keys;
    std::string worker;
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds reap_interval{2'000};  ///< on average
    std::size_t concurrency = 0;                     ///< told beside the heartbeats, for people
    std::vector<std::string> providers{};            ///< likewise
    std::function<double()> loop_lag_ms{};           ///< likewise; from any thread; empty: not told
};

/// Says that the worker lives and keeps the leases of its jobs: every third of a lease, from a
/// thread, an event loop and a Redis connection of its own, so that nothing the worker computes can
/// make it look dead. What Redis answers goes to the jobs: their lease is lost, or their run was
/// cancelled. In between it ends leases of workers that died, so that jobs come back even while no
/// coordinator runs.
///
/// Works from construction to destruction. An exception on its thread is a bug and ends the
/// process.
class Heartbeater {
  public:
    /// `clock`, `held`, `health` and `metrics` must outlive it.
    Heartbeater(async::Clock& clock, HeartbeaterConfig config, HeldJobs& held,
                const ProviderHealth& health, WorkerMetrics& metrics, log::Logger logger);
    Heartbeater(const Heartbeater&) = delete;
    Heartbeater& operator=(const Heartbeater&) = delete;
    /// Blocks until the thread has ended, which takes no round trip.
    ~Heartbeater();

  private:
    class Thread;
    std::unique_ptr<Thread> thread_;
};

}  // namespace evalfleet::worker
