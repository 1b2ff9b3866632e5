#pragma once

#include "common/async/clock.hpp"
#include "common/metrics/registry.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>

namespace evalfleet::telemetry {

/// Measures how late an event loop is: sets a timer again and again, and notes how long after its
/// time it was woken. That is the time for which everything else on the loop had to wait as well,
/// whoever took it.
class LoopProbe {
  public:
    LoopProbe(async::Clock& clock, metrics::Registry& registry);

    /// Probes the loop it runs on. Never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// The longest of late, in milliseconds: of some seconds. May be called from any thread.
    [[nodiscard]] double recent_lag_ms() const noexcept { return recent_ms_.load(); }

  private:
    void note(double lag_ms) noexcept;

    async::Clock& clock_;
    std::atomic<double> recent_ms_{0};
    metrics::Histogram lag_;
};

}  // namespace evalfleet::telemetry
