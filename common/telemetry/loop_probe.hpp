#pragma once

#include "common/async/clock.hpp"
#include "common/metrics/registry.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::telemetry {

/// Measures how late an event loop is: sets a timer again and again, and notes how long after its
/// time it was woken. That is the time for which everything else on the loop had to wait as well,
/// whoever took it.
class LoopProbe {
  public:
    LoopProbe(async::Clock& clock, metrics::Registry& registry);

    /// Probes the loop it runs on. Never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    async::Clock& clock_;
    metrics::Histogram lag_;
};

}  // namespace evalfleet::telemetry
