#include "coordinator/reduce/run_power.hpp"

#include "coordinator/reduce/trial_values.hpp"

#include <cmath>

namespace evalfleet::reduce {
namespace {

using statistics::Pairing;
using statistics::PowerFigures;

enum class Values { scores, passes };

PowerFigures estimate(const Population& run, double (*value)(const TrialRow&), Values values) {
    statistics::VarianceSplitter splitter;
    std::vector<double> repeats;
    const auto begin = run.sample_begin();
    for (std::size_t sample = 0; sample < run.samples(); ++sample) {
        repeats.clear();
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i) {
            const double one = value(run[i]);
            if (!std::isnan(one)) repeats.push_back(one);
        }
        splitter.add_sample(repeats);
    }
    const auto spread = splitter.components();
    if (!spread) return {};
    statistics::Search search{.pairing = Pairing::unpaired};
    // A rate of p that moves by d has the variance p(1 - p) + d |2p - 1| - d^2.
    search.growth = values == Values::passes ? std::fabs(2 * spread->mean - 1)
                                             : statistics::typical_drop(splitter.means());
    return statistics::power_of(*spread, search);
}

}  // namespace

job::RunPower estimate_power(const Population& run) {
    return {estimate(run, measured_score, Values::scores),
            estimate(run, measured_pass, Values::passes),
            estimate(run, measured_spec_pass, Values::passes)};
}

}  // namespace evalfleet::reduce
