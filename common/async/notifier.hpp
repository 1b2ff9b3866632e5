#pragma once

#include "common/async/clock.hpp"
#include "common/async/waiter.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace evalfleet::async {

/// Tells coroutines that something they look at has changed, as a condition variable tells threads:
/// look, find nothing to do, wait, look again. Safe to use from any thread; must outlive those who
/// wait.
class Notifier {
  public:
    /// Wakes everybody who waits now.
    void notify_all();

    /// Completes at the next `notify_all()` or at `deadline`, whichever comes first. What changed
    /// before the call is not seen: between looking and waiting there must be no other await, or
    /// the deadline must be near. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> wait(Clock& clock, TimePoint deadline = kNever);

  private:
    [[nodiscard]] boost::asio::awaitable<void> wait_for_notice();

    std::mutex mutex_;  // guards waiters_
    std::vector<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace evalfleet::async
