#pragma once

#include "common/job/policy.hpp"
#include "common/job/summary.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/reduce/population.hpp"

#include <optional>

namespace evalfleet::reduce {

using job::kFewestSamples;

/// What the verdicts of the gates rest on, beyond the observed values: from one walk over the
/// trials.
struct GateEvidence {
    statistics::ClusteredRate passes;
    statistics::ClusteredRate unfaithful;  ///< of the trials with a faithfulness score
    statistics::ClusteredRate slow;        ///< of the Rubric's latencies, above the threshold

    std::uint64_t scored_samples = 0;  ///< samples that have a score
    /// Mean +- t standard errors over samples; none below `kFewestSamples`.
    std::optional<statistics::Interval> score_t_ci95;

    /// What a figure would be if every answer without a score were as bad as can be, and as good.
    struct Extremes {
        double worst;
        double best;
    };
    // None if nothing lacks a score.
    std::optional<Extremes> score_with_unscored;
    std::optional<Extremes> pass_rate_with_unscored;
    std::optional<Extremes> unfaithful_with_unscored;
};

/// `mean_score` is the observed aggregate score, `slow_above_ms` the threshold of latencies.
[[nodiscard]] GateEvidence gather_evidence(const Population& trials,
                                           std::optional<double> mean_score, double slow_above_ms);

}  // namespace evalfleet::reduce
