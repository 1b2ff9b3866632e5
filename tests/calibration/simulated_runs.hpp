#pragma once

#include "coordinator/reduce/trial_row.hpp"
#include "tests/calibration/simulation.hpp"

#include <vector>

namespace evalfleet::calibration {

/// What the repeats of one sample have in common.
enum class Repeats { identical, correlated, independent };

/// A world in which runs answer the same samples, some of which are harder than others.
struct World {
    std::size_t samples = 100;
    std::uint32_t repeats = 1;
    Repeats alike = Repeats::independent;
    double level = 0;       ///< of all answers, in standard deviations of a sample's quality
    double slow_share = 0;  ///< of calls that take three to ten times as long
};

/// How a run differs from the base.
struct Change {
    double shift = 0;   ///< of all qualities, in standard deviations of a sample's; down is worse
    double slower = 1;  ///< factor of all latencies
    double lost_share = 0;  ///< of the samples: they fail in all repeats whatever they did before
};

/// What the samples of a world have in common for all runs.
class Samples {
  public:
    Samples(const World& world, Random& random);

    /// The rows of one run. Another call is another run of the same samples.
    [[nodiscard]] std::vector<reduce::TrialRow> run(const Change& change, Random& random) const;

  private:
    struct Sample {
        double difficulty;
        double length;
    };

    World world_;
    std::vector<Sample> samples_;
};

}  // namespace evalfleet::calibration
