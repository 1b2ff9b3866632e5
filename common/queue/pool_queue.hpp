#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/queue/types.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::queue {

/// What concerns all runs of a pool: ending leases that ran out, and counting. May be called from
/// anywhere, by coordinator and workers alike; errors are those of `redis::Client::execute`.
class PoolQueue {
  public:
    PoolQueue(redis::FunctionLibrary& functions, Keys keys);

    /// Makes up to `limit` jobs ready whose lease ran out, or ends those that were handed out too
    /// often.
    [[nodiscard]] boost::asio::awaitable<Result<Reaped>> reap(std::size_t limit,
                                                              async::TimePoint deadline);

    [[nodiscard]] boost::asio::awaitable<Result<PoolStats>> stats(async::TimePoint deadline);

  private:
    redis::FunctionLibrary& functions_;
    Keys keys_;
};

}  // namespace evalfleet::queue
