#pragma once

#include "common/async/clock.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace evalfleet::runs {

/// How fast something is counted up, over the last while: steady enough to be read, quick enough to
/// show a standstill. Pure; the time is given.
class RateMeter {
  public:
    explicit RateMeter(std::chrono::milliseconds span = std::chrono::seconds(15)) : span_(span) {}

    /// The count at a moment; moments come in order.
    void observe(async::TimePoint now, std::uint64_t count);

    /// Per second; none before two moments were seen.
    [[nodiscard]] std::optional<double> per_second() const;

  private:
    struct Mark {
        async::TimePoint when;
        std::uint64_t count;
    };

    std::chrono::milliseconds span_;
    std::deque<Mark> marks_;
};

}  // namespace evalfleet::runs
