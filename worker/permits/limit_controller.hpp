#pragma once

#include "common/queue/permit_queue.hpp"
#include "worker/permits/latency_ceiling.hpp"
#include "worker/permits/throttle_ceiling.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// What the fleet may ask of one limit key, from three ceilings of which the lowest counts: what
/// the operator configured (kept by Redis), what the provider refuses (`ThrottleCeiling`), and what
/// makes it faster (`LatencyCeiling`).
///
/// Pure. Redis adds up what all workers saw; whichever worker comes first after a tick gets the
/// sums, takes a step from the state it is told, and offers the new state to Redis.
class LimitController {
  public:
    /// The first state for a key: near what the operator configured, else low.
    [[nodiscard]] static LimitController start(const queue::LimitKey& key);

    /// As the fleet has it. Where a state cannot be read (workers of another version wrote it, in a
    /// rolling upgrade) its calls at once are the base to go on from.
    [[nodiscard]] static LimitController of(const queue::SharedLimit& shared,
                                            const queue::LimitKey& key);

    /// Out of `text()`; none for anything else, or if it was made for other configured limits.
    [[nodiscard]] static std::optional<LimitController> parse(std::string_view text,
                                                              const queue::LimitKey& key);
    [[nodiscard]] std::string text() const;

    /// Sums of another epoch say nothing.
    LimitChange step(LimitTick tick);

    /// Calls at once; at least 1.
    [[nodiscard]] double calls() const noexcept;
    /// Calls a second; 0: any number.
    [[nodiscard]] double rate() const noexcept { return throttle_.rate(); }
    [[nodiscard]] ServerTime measure_from() const noexcept { return latency_.measure_from(); }
    [[nodiscard]] ServerTime cut_at() const noexcept { return throttle_.cut_at(); }
    /// Counts how often the above two changed. Sums of another epoch have calls in them that do not
    /// count any more.
    [[nodiscard]] double epoch() const noexcept { return epoch_; }
    [[nodiscard]] std::chrono::milliseconds tick() const;

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        visit(self.most_);
        visit(self.epoch_);
        ThrottleCeiling::each(self.throttle_, visit);
        LatencyCeiling::each(self.latency_, visit);
    }
    bool operator==(const LimitController&) const = default;

  private:
    template <class Value>
    friend std::optional<Value> from_number_list(std::string_view text);
    LimitController() = default;

    double most_ = ThrottleCeiling::kMost;  // configured
    double epoch_ = 0;
    ThrottleCeiling throttle_;
    LatencyCeiling latency_;
};

}  // namespace evalfleet::worker
