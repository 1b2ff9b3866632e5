#pragma once

#include "common/async/blocking_pool.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace evalfleet::worker {

/// Where a trial's texts are parsed, rendered, scored and redacted. Small ones at once, on the I/O
/// thread where they arrived: handing them to another thread and back costs more than the work.
/// Large ones on the pool, so that they hold up nobody else's calls. Arrival times are the
/// kernel's, so that neither shows in a latency.
class Compute {
  public:
    static constexpr std::size_t kMostInline = std::size_t{64} * 1024;

    /// `pool` must outlive it.
    explicit Compute(async::BlockingPool& pool) : pool_(pool) {}

    /// Runs `work()`, which looks at texts of `bytes` together. Otherwise as `BlockingPool::run`.
    template <class Work>
    [[nodiscard]] boost::asio::awaitable<std::invoke_result_t<Work&>> run(std::size_t bytes,
                                                                          Work work) {
        if (bytes <= kMostInline) co_return work();
        co_return co_await pool_.run(std::move(work));
    }

    /// For what blocks.
    [[nodiscard]] async::BlockingPool& pool() const noexcept { return pool_; }

  private:
    async::BlockingPool& pool_;
};

}  // namespace evalfleet::worker
