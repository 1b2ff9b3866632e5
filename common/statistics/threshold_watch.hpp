#pragma once

#include <cstdint>

namespace evalfleet::statistics {

/// Decides, while values are still coming, on which side of a threshold the mean of all of them
/// will be: the mean of a finite population of values in [0, 1] that is drawn without replacement
/// in random order. May be asked after every value, as often as one likes: the probability of ever
/// naming the wrong side is at most `alpha`, whatever the values are.
///
/// It bets against both hypotheses with a growing stake (Waudby-Smith and Ramdas: Estimating means
/// of bounded random variables by betting, 2023; without replacement: 2020). A fair bet's capital
/// passes 1/alpha with a probability of at most alpha (Ville's inequality).
///
/// What is not certain yet is given as two streams: a value's least and its greatest possible
/// content. Pure; two multiplications a value.
class ThresholdWatch {
  public:
    /// `population`: how many values there will be in all; `alpha`: for both sides together.
    ThresholdWatch(double threshold, std::uint64_t population, double alpha);

    /// The next value, of which only bounds may be known: 0 <= least <= greatest <= 1.
    void add(double least, double greatest);
    void add(double value) { add(value, value); }

    enum class Verdict {
        open,
        at_least,  ///< the mean is at least the threshold
        below,     ///< the mean is below it
    };
    [[nodiscard]] Verdict verdict() const noexcept;

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

        void add(double value);
        [[nodiscard]] double stake(double expected) const;
    };

    Bettor up_;    // on values as they are
    Bettor down_;  // on 1 - value
};

}  // namespace evalfleet::statistics
