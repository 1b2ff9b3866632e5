#pragma once

#include "common/async/clock.hpp"
#include "common/http/proxy.hpp"
#include "common/log/logger.hpp"
#include "worker/config.hpp"
#include "worker/providers/provider_set.hpp"

#include <memory>

namespace evalfleet::worker {

/// A whole worker: takes jobs, makes the calls, pushes records, until it is told to end.
class Worker {
  public:
    enum class Exit {
        drained = 0,        ///< everything it held was finished or handed back
        interrupted = 130,  ///< a second signal: it left at once
    };

    /// `config` must be valid. Throws std::runtime_error if it cannot work here (a port that is
    /// taken, certificates that cannot be read).
    Worker(async::Clock& clock, WorkerConfig config, ProviderSet providers,
           const http::ProxyConfig& proxy, log::Logger logger);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    /// Works until SIGTERM or SIGINT, then drains: takes no new job, finishes those it holds as far
    /// as `drain_timeout` allows, hands the others back, says good-bye. A second signal ends it at
    /// once; the leases of its jobs then run out. Without Redis it waits for it, whatever it takes.
    /// Throws what a bug threw.
    [[nodiscard]] Exit blocking_run();

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace evalfleet::worker
