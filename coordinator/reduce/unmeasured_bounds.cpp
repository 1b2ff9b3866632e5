#include "coordinator/reduce/unmeasured_bounds.hpp"

#include "common/statistics/exact_sum.hpp"

#include <algorithm>

namespace evalfleet::reduce {
namespace {

using statistics::Interval;

// Rubric 3.2, as a range where the figure is unknown.
Interval norm(double figure, double reference) noexcept {
    if (std::isnan(figure)) return {0, 1};
    const double value = std::min(1.0, reference / std::max(figure, 1.0));
    return {value, value};
}

Interval score_range(const UnscoredTrial& trial, const job::Policy& policy) noexcept {
    const auto& weights = policy.weights;
    const Interval latency = norm(trial.latency_e2e_ms, policy.norms.latency_ref_ms);
    const Interval tokens = norm(trial.total_tokens, policy.norms.tokens_ref);
    return {weights.latency * latency.lower + weights.token_efficiency * tokens.lower,
            weights.accuracy + weights.faithfulness + weights.latency * latency.upper +
                weights.token_efficiency * tokens.upper};
}

// A null never satisfies a comparison, so an unknown figure stays a failure.
bool could_pass(const UnscoredTrial& trial, const job::Policy::Pass& limits) noexcept {
    constexpr double kBestScore = 2;
    return kBestScore >= limits.min_accuracy && kBestScore >= limits.min_faithfulness &&
           trial.latency_e2e_ms <= limits.max_latency_e2e_ms &&
           trial.total_tokens <= limits.max_total_tokens;
}

}  // namespace

void bound_unmeasured(job::Extra& extra, const RecordTable& table, const job::Policy& policy) {
    statistics::ExactSum lowest;
    std::uint64_t scores = table.unscored().size();
    std::uint64_t rubric_passes = 0;
    std::uint64_t spec_passes = 0;
    std::uint64_t lost = 0;
    for (const TrialRow& row : table.rows()) {
        rubric_passes += row.rubric_passed;
        spec_passes += row.spec_passed;
        lost += row.lost;
        const bool is_scored = !std::isnan(row.sample_score);
        if (!is_scored && row.lost == 0) continue;
        lowest.add(is_scored ? row.sample_score : 0);
        ++scores;
    }
    statistics::ExactSum highest = lowest;
    std::uint64_t could = 0;
    for (const UnscoredTrial& trial : table.unscored()) {
        const Interval range = score_range(trial, policy);
        lowest.add(range.lower);
        highest.add(range.upper);
        could += could_pass(trial, policy.pass) ? 1 : 0;
    }
    // A trial that was lost counts as failed already; at best it would have taken nothing at all.
    constexpr UnscoredTrial kPerfect{0, 0};
    for (std::uint64_t i = 0; i < lost; ++i)
        highest.add(score_range(kPerfect, policy).upper);
    could += could_pass(kPerfect, policy.pass) ? lost : 0;
    extra.unscored_count = table.unscored().size();
    if (scores > 0) {
        const auto n = static_cast<double>(scores);
        extra.aggregate_score_bounds = Interval{lowest.value() / n, highest.value() / n};
    }
    if (table.rows().empty()) return;
    const auto share = [n = static_cast<double>(table.rows().size())](std::uint64_t count) {
        return static_cast<double>(count) / n;
    };
    extra.rubric_pass_rate_bounds = Interval{share(rubric_passes), share(rubric_passes + could)};
    extra.spec_pass_rate_bounds =
        Interval{share(spec_passes), share(spec_passes + extra.unscored_count + lost)};
}

}  // namespace evalfleet::reduce
