#pragma once

#include "common/statistics/interval.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace evalfleet::statistics {

/// A value in [0, 1] of which only bounds may be known. A part of it may be neutral: it takes the
/// value that the mean is held against, as if it were not there.
struct WatchedValue {
    double least = 0;
    double greatest = 1;
    double neutral = 0;  ///< least + neutral and greatest + neutral are at most 1
};

/// Decides, while values are still coming, on which side of a threshold the mean of all of them
/// will be: the mean of a finite population of values in [0, 1] that is drawn without replacement
/// in random order. May be asked after every value, as often as one likes: the probability of ever
/// naming the wrong side is at most `alpha`, whatever the values are.
///
/// It bets against both hypotheses with a growing stake (Waudby-Smith and Ramdas: Estimating means
/// of bounded random variables by betting, 2023; without replacement: 2020). A fair bet's capital
/// passes 1/alpha with a probability of at most alpha (Ville's inequality).
///
/// Pure; two multiplications a value.
class ThresholdWatch {
  public:
    /// Of values that are drawn independently and might go on for ever: the mean is that of their
    /// distribution, whatever is drawn.
    static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

    /// `population`: how many values there will be in all, or `kUnbounded`; `alpha`: for both sides
    /// together.
    ThresholdWatch(double threshold, std::uint64_t population, double alpha);

    void add(const WatchedValue& value);
    void add(double value) { add({value, value}); }

    enum class Verdict {
        open,
        at_least,  ///< the mean is at least the threshold
        below,     ///< the mean is below it
    };
    /// Open also where both sides were certain once: then the values do not come in random order.
    [[nodiscard]] Verdict verdict() const noexcept;

    /// No value that is still to come can change the verdict, in whatever order they come.
    [[nodiscard]] bool is_settled() const noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept { return up_.count; }

  private:
    // Bets that the mean is greater than the threshold.
    struct Bettor {
        double threshold;
        std::uint64_t population;
        double log_stake_limit;  // of the capital's logarithm at which it is certain
        std::uint64_t count = 0;
        double sum = 0;
        double squares = 0;  // of deviations from the running mean
        double log_capital = 0;
        bool is_certain = false;
        bool is_settled = false;  // by what came already, whatever follows

        void add(double value);
        [[nodiscard]] double stake(double expected) const;
    };

    Bettor up_;    // on values as they are
    Bettor down_;  // on 1 - value
};

/// The thresholds that a watch of these values never decided about: an interval that holds the mean
/// of all `population` values with a probability of at least 1 - alpha, whenever and for whatever
/// reason one stopped looking. The limits are rounded outwards by less than 1e-6.
[[nodiscard]] Interval always_valid_interval(std::span<const WatchedValue> values,
                                             std::uint64_t population, double alpha);

}  // namespace evalfleet::statistics
