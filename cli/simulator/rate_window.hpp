#pragma once

#include "common/async/clock.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace evalfleet::simulator {

/// A provider's limit: at most so many requests in any 60 seconds. Refused ones do not count.
class RateWindow {
  public:
    /// `limit` 0: none.
    explicit RateWindow(std::uint64_t limit) : limit_(limit) {}

    /// Nothing if the request may go on, else how long until one could.
    [[nodiscard]] std::optional<async::Duration> refuse(async::TimePoint now);

  private:
    std::uint64_t limit_;
    std::deque<async::TimePoint> accepted_;
};

}  // namespace evalfleet::simulator
