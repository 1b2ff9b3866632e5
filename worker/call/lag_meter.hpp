#pragma once

#include "common/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace evalfleet::worker {

/// How late the event loop was, lately. Pure: it is told when something was due and when it ran.
/// Safe to use from any thread.
///
/// Lateness is kept as the worst of each twentieth of a second, for the last few seconds.
class LagEstimator {
  public:
    void note(async::TimePoint due, async::TimePoint ran);

    /// The worst lateness around a moment of the last few seconds: in its own slice of time and in
    /// both neighbours.
    [[nodiscard]] async::Duration worst_around(async::TimePoint moment) const;

  private:
    static constexpr std::chrono::milliseconds kSlice{50};
    static constexpr std::size_t kSlices = 128;

    struct Slice {
        std::int64_t number = -1;  // since the clock's beginning
        async::Duration worst{};
    };

    [[nodiscard]] static std::int64_t number_of(async::TimePoint moment) {
        return moment.time_since_epoch() / kSlice;
    }

    mutable std::mutex mutex_;  // guards slices_
    std::array<Slice, kSlices> slices_;
};

/// Measures the lag of the event loop it runs on: a timer every few milliseconds, and how late it
/// comes. What arrives at a socket without a stamp of the kernel is read as late as that.
class LagMeter {
  public:
    explicit LagMeter(async::Clock& clock) : clock_(clock) {}

    /// Until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] const LagEstimator& estimator() const noexcept { return estimator_; }

  private:
    async::Clock& clock_;
    LagEstimator estimator_;
};

}  // namespace evalfleet::worker
