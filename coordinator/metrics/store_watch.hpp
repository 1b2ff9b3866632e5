#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/metrics/registry.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>

namespace evalfleet::coordinator {

/// Watches the room that is left where the runs are stored: a full disk stops every run. Looks on
/// the blocking pool, since a network file system may not answer.
class StoreWatch {
  public:
    StoreWatch(std::filesystem::path store, async::BlockingPool& pool, async::Clock& clock,
               metrics::Registry& registry);

    /// Never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    std::filesystem::path store_;
    async::BlockingPool& pool_;
    async::Clock& clock_;
    metrics::Gauge free_;
    metrics::Gauge size_;
};

}  // namespace evalfleet::coordinator
