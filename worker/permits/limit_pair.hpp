#pragma once

#include "worker/permits/call_sums.hpp"

namespace evalfleet::worker {

/// A pair of limits: do the calls that the higher one lets go in addition make the provider faster,
/// or do they only wait there? A sequential test that adds up what probes of both told.
struct LimitPair {
    /// The verdict counts from here on, and more evidence than that is not kept: if the provider
    /// changes, as much to the contrary turns it. As a logarithm: chance decides once in a
    /// thousand.
    static constexpr double kDecided = 7;

    double low = 0;  ///< calls at once; 0: no such limit
    double high = 0;
    double evidence = 0;  ///< for a queue; below 0: for calls that are served side by side
    double variance = 0;  ///< of the logarithm of one call's time; 0: not known yet

    /// One probe alone decides nothing.
    void add(const ServiceChange& seen);
    /// Calls of a probe that tell as much as one probe may.
    [[nodiscard]] double enough_calls() const;

    [[nodiscard]] bool shows_queue() const noexcept { return evidence >= kDecided; }
    [[nodiscard]] bool shows_side_by_side() const noexcept { return evidence <= -kDecided; }
    [[nodiscard]] bool is_open() const noexcept { return !shows_queue() && !shows_side_by_side(); }

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number : {&self.low, &self.high, &self.evidence, &self.variance})
            visit(*number);
    }
    bool operator==(const LimitPair&) const = default;
};

}  // namespace evalfleet::worker
