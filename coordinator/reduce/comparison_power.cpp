#include "coordinator/reduce/sample_differences.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::reduce {
namespace {

constexpr double kLevel = 0.05;
constexpr double kMostRatio = 11;  ///< beyond what a margin may be

// The least p-value that so many samples can have: all of them changed to one side.
double least_p_value(std::uint64_t samples) {
    return std::ldexp(1.0, 1 - static_cast<int>(std::min<std::uint64_t>(samples, 1000)));
}

// From the scale of the test to that of the report.
std::optional<double> reported(Scale scale, const std::optional<double>& difference) {
    return difference && scale == Scale::ratio ? std::optional(std::expm1(*difference))
                                               : difference;
}

// Scores and passes move by steps: a larger difference takes more samples that do, and each adds
// its square. A pass may be lost in all repeats; a score moves as far as those that were seen to.
// Latencies and tokens may all become a little larger.
double growth_of(const ComparedMetric& metric, const DifferenceSpread& spread) {
    if (metric.scale == Scale::ratio) return 0;
    return metric.is_graded ? metric.reach : spread.step;
}

// Holm's strictest threshold: what is found with it is found whatever the other rows say.
statistics::Search search_of(const ComparedMetric& metric, const DifferenceSpread& spread,
                             std::size_t tests) {
    statistics::Search search;
    search.level = kLevel / static_cast<double>(tests);
    search.reach = metric.scale == Scale::ratio ? std::log(kMostRatio) : metric.reach;
    search.growth = growth_of(metric, spread);
    // What has steps has its tails by them.
    if (metric.scale == Scale::ratio) search.tails = spread.tails;
    return search;
}

std::optional<double> without_pairing(const ComparedMetric& metric, const DifferenceSpread& spread,
                                      statistics::Search search) {
    search.pairing = statistics::Pairing::unpaired;
    if (metric.scale == Scale::difference)
        search.growth =
            metric.is_graded ? std::fabs(2 * spread.base_mean - metric.reach) : spread.base_drop;
    return statistics::detectable_difference(spread.differences->samples, spread.both_variances,
                                             search);
}

}  // namespace

std::uint64_t samples_needed(std::size_t tests) {
    std::uint64_t samples = kFewestSamples;
    while (least_p_value(samples) * static_cast<double>(tests) >= kLevel)
        ++samples;
    return samples;
}

RowPower row_power(const ComparedMetric& metric, const DifferenceSpread& spread, std::size_t tests,
                   std::optional<double> detect) {
    RowPower power;
    power.detect = detect;
    power.correlation = spread.correlation;
    if (!spread.differences) return power;
    const statistics::Search search = search_of(metric, spread, tests);
    if (detect) {
        const double asked = metric.scale == Scale::ratio ? std::log1p(*detect) : *detect;
        const auto samples =
            statistics::samples_to_detect(asked, spread.differences->of_means, search);
        if (samples) power.samples_to_detect = std::max(*samples, samples_needed(tests));
    }
    power.paired = statistics::power_of(*spread.differences, search);
    const bool can_find = spread.differences->samples >= samples_needed(tests);
    for (auto* const figure : {&power.paired.detectable, &power.paired.with_twice_the_samples,
                               &power.paired.with_twice_the_repeats})
        *figure = can_find ? reported(metric.scale, *figure) : std::nullopt;
    if (can_find) power.unpaired = reported(metric.scale, without_pairing(metric, spread, search));
    return power;
}

}  // namespace evalfleet::reduce
