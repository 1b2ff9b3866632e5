#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evalfleet::statistics {

/// Independent values that are nowhere below `lowest` and nowhere above `highest`, of which it is
/// asked whether their true mean is above zero. Nothing else is assumed of them, so that twenty
/// values that are all alike do not prove that the twenty-first is like them.
///
/// The test is Gaffke's (2005): the values and one more of `lowest` are weighted at random, with
/// weights that add up to 1; the p-value is the probability that their mean is not above zero. Of
/// values that are only 0 or 1, less a threshold, it is the exact test of Clopper and Pearson.
///
/// Values are kept in classes of a 4096th of the range, each with its mean, so that memory and time
/// do not grow with their number.
class BoundedMean {
  public:
    BoundedMean(double lowest, double highest);  ///< lowest <= 0 <= highest, lowest < highest

    void add(double value);  ///< one outside the range is taken as the nearest within

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

    /// How often values are as far above zero as these, at most, if their true mean is not above
    /// zero; 1 where the mean of these and one of `lowest` is not above zero either. `times`: as if
    /// each had come so often.
    [[nodiscard]] double p_above_zero(double times = 1) const;

    /// How many values like these, in all, bring `p_above_zero` to `level` or below, at least as
    /// many as there are; 0 if no number up to a thousand million does.
    [[nodiscard]] std::uint64_t count_needed(double level) const;

  private:
    struct Class {
        double sum = 0;
        std::uint64_t count = 0;
    };

    double lowest_;
    double highest_;
    std::uint64_t count_ = 0;
    std::vector<Class> classes_;
};

}  // namespace evalfleet::statistics
