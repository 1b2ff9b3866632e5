#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace evalfleet::async {

/// A moment on the monotonic clock. Deadlines are such moments, passed down unchanged; a duration
/// that is passed down would start anew in every layer.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// A deadline that never comes.
inline constexpr TimePoint kNever = TimePoint::max();

/// Where code gets its time from. Everything that waits or measures takes a `Clock&`, so that tests
/// can drive it with a manual clock and never sleep.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    [[nodiscard]] virtual TimePoint now() const noexcept = 0;

    /// The wall clock, for what people read. Never for measuring.
    [[nodiscard]] virtual std::chrono::system_clock::time_point utc_now() const noexcept = 0;

    /// Completes at `when`, at once if that is over. Runs on the caller's executor.
    /// Cancelled: throws boost::system::system_error(operation_aborted).
    [[nodiscard]] virtual boost::asio::awaitable<void> wait_until(TimePoint when) = 0;

    [[nodiscard]] boost::asio::awaitable<void> wait_for(Duration duration) {
        return wait_until(now() + duration);
    }
};

/// The machine's clocks.
class SystemClock final : public Clock {
  public:
    [[nodiscard]] TimePoint now() const noexcept override;
    [[nodiscard]] std::chrono::system_clock::time_point utc_now() const noexcept override;
    [[nodiscard]] boost::asio::awaitable<void> wait_until(TimePoint when) override;
};

}  // namespace evalfleet::async
