#include "coordinator/reduce/gate_decisions.hpp"

#include "common/statistics/bounded_mean.hpp"
#include "coordinator/reduce/gate_watch.hpp"

#include <algorithm>

namespace evalfleet::reduce {

namespace {

using job::Doubt;
using job::GateDecision;
using statistics::BoundedMean;
using statistics::WatchedValue;

constexpr double kLevel = 0.025;  // of each side

// How far a figure is from its threshold on the side of its verdict, sample by sample. A sample
// counts by how many of its trials have a value, as in the figure itself: a mean of these values
// above zero is a figure on that side.
class Side {
  public:
    Side(bool passed, double threshold)
        : passed_(passed),
          threshold_(threshold),
          with_unknown_(lowest(), highest()),
          known_alone_(lowest(), highest()) {}

    // `sum` is over the values of the sample's trials, of which `most` are the most in any sample.
    void add_sample(const WatchedValue& sum, std::size_t trials, std::size_t most) {
        const auto counted = static_cast<double>(trials) - sum.neutral;
        if (counted <= 0) return;
        const auto place = [&](double value, double of) {
            const double above = value - threshold_ * of;
            return (passed_ ? above : -above) / static_cast<double>(most);
        };
        with_unknown_.add(place(passed_ ? sum.least : sum.greatest, counted));
        // Nobody knows greatest - least of them: there it is as if they were not.
        const double unknown = sum.greatest - sum.least;
        known_alone_.add(place(sum.least, counted - unknown));
        has_unknown_ = has_unknown_ || unknown > 0;
    }

    [[nodiscard]] GateDecision decide() const {
        GateDecision decision;
        decision.p_value = with_unknown_.p_above_zero();
        if (*decision.p_value <= kLevel) return decision;
        const bool would_do = has_unknown_ && known_alone_.p_above_zero() <= kLevel;
        decision.doubt = would_do ? Doubt::unmeasured : Doubt::few_samples;
        if (const std::uint64_t needed = with_unknown_.count_needed(kLevel); needed > 0)
            decision.samples_needed = needed;
        return decision;
    }

    [[nodiscard]] bool has_samples() const noexcept { return with_unknown_.count() > 0; }

  private:
    [[nodiscard]] double lowest() const noexcept { return passed_ ? -threshold_ : threshold_ - 1; }
    [[nodiscard]] double highest() const noexcept { return passed_ ? 1 - threshold_ : threshold_; }

    bool passed_;
    double threshold_;
    BoundedMean with_unknown_;  ///< what is not known counts against the verdict
    BoundedMean known_alone_;
    bool has_unknown_ = false;
};

std::size_t most_trials_of_a_sample(const Population& trials) {
    const auto begins = trials.sample_begin();
    std::size_t most = 1;
    for (std::size_t sample = 0; sample < trials.samples(); ++sample)
        most = std::max<std::size_t>(most, begins[sample + 1] - begins[sample]);
    return most;
}

GateValues sum_of(const Population& trials, std::size_t begin, std::size_t end,
                  const job::Policy::Gates& limits) {
    GateValues sums;
    sums.fill({0, 0, 0});
    for (std::size_t i = begin; i < end; ++i) {
        const GateValues values = gate_values(trials[i], limits);
        for (std::size_t gate = 0; gate < sums.size(); ++gate) {
            sums[gate].least += values[gate].least;
            sums[gate].greatest += values[gate].greatest;
            sums[gate].neutral += values[gate].neutral;
        }
    }
    return sums;
}

}  // namespace

job::GateDecisions decide_gates(const Population& trials, const job::Gates& gates,
                                const job::Policy::Gates& limits) {
    // A threshold outside [0, 1] is as sure as one at its end.
    std::vector<Side> sides;
    for (std::size_t i = 0; i < job::kGates.size(); ++i) {
        sides.emplace_back((gates.*job::kGates[i].gate).passed,
                           std::clamp(gate_thresholds(limits)[i], 0.0, 1.0));
    }
    const std::size_t most = most_trials_of_a_sample(trials);
    const auto begins = trials.sample_begin();
    for (std::size_t sample = 0; sample < trials.samples(); ++sample) {
        const std::size_t begin = begins[sample];
        const std::size_t end = begins[sample + 1];
        const GateValues sums = sum_of(trials, begin, end, limits);
        for (std::size_t gate = 0; gate < sides.size(); ++gate)
            sides[gate].add_sample(sums[gate], end - begin, most);
    }
    job::GateDecisions decisions;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        decisions[i] =
            sides[i].has_samples() ? sides[i].decide() : GateDecision{{}, Doubt::few_samples, {}};
    }
    return decisions;
}

}  // namespace evalfleet::reduce
