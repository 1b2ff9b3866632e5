#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/trial_row.hpp"
#include "tests/calibration/simulation.hpp"

#include <array>
#include <span>
#include <vector>

namespace evalfleet::calibration {

/// Runs of which it is known what every gate's figure is in truth.
struct GatedWorld {
    std::size_t samples = 100;
    std::uint32_t repeats = 1;
    double alike = 0;  ///< correlation of a sample's repeats: 1 are identical, 0 independent

    double accurate = 0.9;   ///< probability that an answer is right
    double faithful = 0.95;  ///< and that it keeps to its context
    double slow = 0.05;      ///< and that it takes longer than the limit
    double failed = 0;       ///< of calls that end after 15 s without a usable answer
    double lost = 0;         ///< of calls that infrastructure loses
    double unscored = 0;     ///< of answers that the judge does not score
    job::Policy::Weights weights{};

    /// By how much `accurate` falls, and `slow` grows, while the samples of these shares of the run
    /// go out; at once where they are the same.
    double fall = 0;
    double fall_from = 0;
    double fall_to = 1;

    /// The gates that have the truth as their thresholds, or are easier to pass by so much of each
    /// figure (harder if negative).
    [[nodiscard]] job::Policy::Gates gates(double easier = 0) const;
};

/// What repeats have in common.
struct RepeatDesign {
    const char* name;
    std::uint32_t repeats;
    double alike;
};
inline constexpr std::array kRepeatDesigns{
    RepeatDesign{"1 repeat", 1, 0}, RepeatDesign{"3 identical repeats", 3, 1},
    RepeatDesign{"3 correlated repeats", 3, 0.64}, RepeatDesign{"3 independent repeats", 3, 0}};

/// The trials in the order in which they go out, sample after sample.
[[nodiscard]] std::vector<reduce::TrialRow> simulate(const GatedWorld& world, Random& random);

/// What the summary of these trials says of the gates, and of what could be measured.
[[nodiscard]] job::Summary judge(std::span<const reduce::TrialRow> rows, const job::Policy& policy);

}  // namespace evalfleet::calibration
