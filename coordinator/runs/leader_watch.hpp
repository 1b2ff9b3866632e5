#pragma once

#include "common/async/clock.hpp"
#include "coordinator/store/store_lock.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::runs {

/// Tells a standby how long the leader has been silent. Measured on the standby's own clock from
/// the change that it saw last, so that the clocks of two machines need not agree. Pure.
class LeaderWatch {
  public:
    /// A look at the leader's heartbeat; looks come in order.
    void observe(async::TimePoint now, const store::StoreLock::Sighting& sighting);

    /// Since the last sign of life that was seen; 0 before the first look.
    [[nodiscard]] async::Duration silence() const noexcept { return last_look_ - last_change_; }

    [[nodiscard]] const std::optional<store::LeaderCard>& card() const noexcept { return card_; }

  private:
    std::optional<std::int64_t> beat_;
    std::optional<store::LeaderCard> card_;
    async::TimePoint last_change_{};
    async::TimePoint last_look_{};
};

}  // namespace evalfleet::runs
