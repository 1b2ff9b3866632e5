#pragma once

#include "common/async/clock.hpp"

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace evalfleet::testing {

/// A clock that stands still until the test moves it. Safe to use from any thread.
class ManualClock final : public async::Clock {
  public:
    [[nodiscard]] async::TimePoint now() const noexcept override;
    [[nodiscard]] std::chrono::system_clock::time_point utc_now() const noexcept override;
    [[nodiscard]] boost::asio::awaitable<void> wait_until(async::TimePoint when) override;

    /// Moves the time on and wakes everybody whose moment has come.
    void advance(async::Duration step);

    /// Blocks the calling thread until `count` coroutines wait on this clock: the signal that the
    /// code under test has come to its wait.
    void blocking_await_sleepers(std::size_t count);

    [[nodiscard]] std::size_t count_sleepers() const;

  private:
    struct Sleeper;

    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    async::TimePoint now_{std::chrono::hours(1)};
    std::list<std::shared_ptr<Sleeper>> sleepers_;
};

}  // namespace evalfleet::testing
