#pragma once

#include "common/statistics/interval.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::statistics {

/// The 97.5 % point of the normal distribution, as the specification writes it.
inline constexpr double kZ95 = 1.959963984540054;

/// Wilson's 95 % interval of a rate of `count` out of `n`. The limits are exactly 0 for a count of
/// 0 and exactly 1 for a count of n; null for n = 0.
[[nodiscard]] std::optional<Interval> wilson_interval(std::uint64_t count, std::uint64_t n);

/// Yes or no of trials that come in samples. Repeats of one sample are not independent: they tell
/// less than as many samples would.
class ClusteredRate {
  public:
    /// One sample: how many of its trials are a yes. One without trials adds nothing.
    void add_sample(std::uint64_t hits, std::uint64_t trials) noexcept;
    /// Takes one back that was added with these figures.
    void take_back_sample(std::uint64_t hits, std::uint64_t trials) noexcept;

    [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
    [[nodiscard]] std::uint64_t trials() const noexcept { return trials_; }
    [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }
    /// Some sample has more than one trial.
    [[nodiscard]] bool has_repeats() const noexcept { return trials_ > samples_; }

    /// Null for no trials.
    [[nodiscard]] std::optional<double> rate() const noexcept;
    /// Wilson's interval; with repeats that of the effective number of trials, which lies between
    /// the number of samples and that of trials. Null for no trials.
    [[nodiscard]] std::optional<Interval> ci95() const;

  private:
    [[nodiscard]] double effective_trials() const noexcept;

    std::uint64_t samples_ = 0;
    std::uint64_t trials_ = 0;
    std::uint64_t hits_ = 0;
    // Over samples: of hits squared, of hits x trials, of trials squared.
    std::uint64_t hits_hits_ = 0;
    std::uint64_t hits_trials_ = 0;
    std::uint64_t trials_trials_ = 0;
};

}  // namespace evalfleet::statistics
