#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace evalfleet::async {

/// One coroutine that waits until another thread or coroutine wakes it: what gate, semaphore and
/// queue are made of. (Asio's channels would be the natural base, but those of Boost 1.81 drop
/// queued values when they are closed and refuse to send after a receive was cancelled.)
///
/// Held by shared_ptr, since a wake-up may still be on its way when the coroutine has gone on.
class Waiter : public std::enable_shared_from_this<Waiter> {
  public:
    /// `executor`: the waiting coroutine's own, a strand or single-threaded.
    explicit Waiter(const boost::asio::any_io_executor& executor);

    /// Completes after `wake()`, or at once if it was called before, or when cancelled. Never
    /// throws; the owner knows from its own state what had happened.
    [[nodiscard]] boost::asio::awaitable<void> wait();

    /// From any thread, any number of times.
    void wake();

  private:
    boost::asio::steady_timer timer_;  // touched on the coroutine's executor only
};

}  // namespace evalfleet::async
