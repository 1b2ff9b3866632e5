#pragma once

#include "coordinator/reduce/comparison_rule.hpp"

#include <span>
#include <vector>

namespace evalfleet::reduce {

/// A metric of a trial that is compared by its mean over samples.
struct ComparedMetric {
    const char* name;
    double (*value)(const TrialRow&);  ///< NaN if the trial has none
    Scale scale;
    bool higher_is_better;
    /// How far a difference can reach; of a ratio, how large a logarithm of it is expected.
    double reach;
    bool is_graded;  ///< few values only, so no interval may be narrower than the reach allows
    bool is_latency;
};

[[nodiscard]] std::span<const ComparedMetric> compared_metrics() noexcept;

/// The differences of a metric, one a sample, averaged over its trials that have a value in both
/// runs. Of a ratio they are differences of logarithms, and so are the means.
struct SampleDifferences {
    std::vector<double> values;
    std::uint64_t pairs = 0;
    std::uint64_t reused = 0;  ///< pairs left out since one answer is of an earlier run
    double base_mean = 0;
    double candidate_mean = 0;
    DifferenceSpread spread;
};

/// What a comparison of so many tests can find of a metric, given how much its samples differ.
[[nodiscard]] RowPower row_power(const ComparedMetric& metric, const DifferenceSpread& spread,
                                 std::size_t tests, std::optional<double> detect);

/// Fewest samples with which a test among so many can be significant.
[[nodiscard]] std::uint64_t samples_needed(std::size_t tests);

[[nodiscard]] SampleDifferences sample_differences(const TrialPairs& pairs,
                                                   const ComparedMetric& metric);

/// The p95 of the latency, with the bootstrap's interval of the difference: described, not tested.
[[nodiscard]] MetricDifference describe_p95(const TrialPairs& pairs, const ComparisonPlan& plan);

/// Why a row without values has none.
[[nodiscard]] std::string why_without_values(std::uint64_t reused_pairs);

}  // namespace evalfleet::reduce
