#pragma once

#include "common/async/clock.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <vector>

namespace evalfleet::simulator {

/// A server that works on so many requests at once and lets all others wait, first come, first
/// served, without bound. It goes on with a request whose client has gone away, waiting or not.
///
/// How long the work on a request takes is known when it arrives, and with it when its turn comes:
/// nobody has to be woken, and nothing that becomes of a request can hold the queue up. Any thread
/// may call it.
class SlotQueue {
  public:
    /// `slots` 0: any number.
    explicit SlotQueue(std::size_t slots) : slots_(slots) {}

    /// Takes a request in, after all that were taken in before. The moment when the work on it
    /// begins; it ends `service` later.
    [[nodiscard]] async::TimePoint enter(async::TimePoint arrival, async::Duration service);

  private:
    using Ends = std::priority_queue<async::TimePoint, std::vector<async::TimePoint>,
                                     std::greater<async::TimePoint>>;

    const std::size_t slots_;
    std::mutex mutex_;  // guards ends_
    Ends ends_;         // of the last request in each slot that was used; the soonest first
};

}  // namespace evalfleet::simulator
