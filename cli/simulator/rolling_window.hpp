#pragma once

#include "common/async/clock.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace evalfleet::simulator {

/// What is left of a limit, as providers tell it with their replies.
struct Allowance {
    std::uint64_t limit = 0;
    std::uint64_t remaining = 0;
    async::Duration full_in{};  ///< until nothing of it is used, if nobody asks again
};

/// A provider's limit: at most so much in any stretch of time of a fixed length. Pure.
class RollingWindow {
  public:
    /// `limit` 0: none.
    RollingWindow(std::uint64_t limit, async::Duration length) : limit_(limit), length_(length) {}

    /// Nothing if `amount` fits in now, else how long until it would. What is larger than the limit
    /// never fits: then it is the whole length.
    [[nodiscard]] std::optional<async::Duration> wait(std::uint64_t amount, async::TimePoint now);

    /// Times must not go back.
    void take(std::uint64_t amount, async::TimePoint now);

    /// Nothing if there is no limit.
    [[nodiscard]] std::optional<Allowance> view(async::TimePoint now);

    [[nodiscard]] bool is_unused(async::TimePoint now);

  private:
    struct Taken {
        async::TimePoint at;
        std::uint64_t amount;
    };

    void forget(async::TimePoint now);

    std::uint64_t limit_;
    async::Duration length_;
    std::uint64_t sum_ = 0;
    std::deque<Taken> taken_;
};

}  // namespace evalfleet::simulator
