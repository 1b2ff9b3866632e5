#include "coordinator/reduce/unmeasured_bounds.hpp"

#include "common/statistics/exact_sum.hpp"
#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <vector>

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

bool is_unknown(const TrialRow& row, Unknown unknown) noexcept {
    return unknown == Unknown::lost ? row.lost != 0 : row.how_it_ended() != Response::answered;
}

// What is known for sure.
struct Known {
    statistics::ExactSum scores;
    std::uint64_t score_count = 0;
    std::uint64_t rubric_passes = 0;
    std::uint64_t spec_passes = 0;
    std::uint64_t faithfulness_scores = 0;
    std::uint64_t faithfulness_failures = 0;
    std::uint64_t unknown = 0;  ///< trials of which nothing is known

    void add(const TrialRow& row) noexcept {
        rubric_passes += row.rubric_passed;
        spec_passes += row.spec_passed;
        faithfulness_scores += row.faithfulness != TrialRow::kNoScore ? 1 : 0;
        faithfulness_failures += row.faithfulness == 0 ? 1 : 0;
        if (std::isnan(row.sample_score)) return;
        scores.add(row.sample_score);
        ++score_count;
    }
};

Known count_known(const RecordTable& table, Unknown unknown) {
    Known known;
    for (const TrialRow& row : table.rows()) {
        if (is_unknown(row, unknown))
            ++known.unknown;
        else
            known.add(row);
    }
    return known;
}

// At best a trial takes nothing at all.
constexpr UnscoredTrial kPerfect{0, 0};

void bound_scores(FigureBounds& bounds, const Known& known, const RecordTable& table,
                  const job::Policy& policy) {
    const std::uint64_t count = known.score_count + known.unknown + table.unscored().size();
    if (count == 0) return;
    statistics::ExactSum lowest = known.scores;
    statistics::ExactSum highest = known.scores;
    for (const UnscoredTrial& trial : table.unscored()) {
        const Interval range = score_range(trial, policy);
        lowest.add(range.lower);
        highest.add(range.upper);
    }
    // Rows are counted in 32 bits.
    highest.add(score_range(kPerfect, policy).upper, static_cast<std::uint32_t>(known.unknown));
    const auto n = static_cast<double>(count);
    bounds.aggregate_score = Interval{lowest.value() / n, highest.value() / n};
}

Interval bound_rate(std::uint64_t sure, std::uint64_t possible, std::uint64_t of) noexcept {
    const auto n = static_cast<double>(of);
    return {static_cast<double>(sure) / n, static_cast<double>(sure + possible) / n};
}

void bound_rates(FigureBounds& bounds, const Known& known, const RecordTable& table,
                 const job::Policy& policy) {
    const std::uint64_t trials = table.rows().size();
    if (trials == 0) return;
    const std::uint64_t unscored = table.unscored().size();
    std::uint64_t could = could_pass(kPerfect, policy.pass) ? known.unknown : 0;
    for (const UnscoredTrial& trial : table.unscored())
        could += could_pass(trial, policy.pass) ? 1 : 0;
    bounds.rubric_pass_rate = bound_rate(known.rubric_passes, could, trials);
    bounds.spec_pass_rate = bound_rate(known.spec_passes, unscored + known.unknown, trials);
    const std::uint64_t of = known.faithfulness_scores + unscored + known.unknown;
    if (of == 0) return;
    bounds.faithfulness_failure_rate =
        bound_rate(known.faithfulness_failures, unscored + known.unknown, of);
}

// An unknown trial may have been answered at once. At worst one that timed out took as long as it
// did, and any other would never have ended.
void bound_latency(FigureBounds& bounds, const RecordTable& table, Unknown unknown) {
    constexpr double kNever = 1e300;
    const auto percentile = [&](bool at_worst) {
        std::vector<double> values;
        values.reserve(table.rows().size());
        for (const TrialRow& row : table.rows()) {
            double latency = row.rubric_latency_ms();
            if (is_unknown(row, unknown) && !at_worst)
                latency = 0;
            else if (is_unknown(row, unknown) && std::isnan(latency))
                latency = kNever;
            if (!std::isnan(latency)) values.push_back(latency);
        }
        return statistics::percentile_in_place(values, 0.95);
    };
    const auto best = percentile(false);
    const auto worst = percentile(true);
    if (best && worst) bounds.latency_e2e_p95_ms = Interval{*best, *worst};
}

}  // namespace

FigureBounds bound_figures(const RecordTable& table, const job::Policy& policy, Unknown unknown) {
    const Known known = count_known(table, unknown);
    FigureBounds bounds;
    bound_scores(bounds, known, table, policy);
    bound_rates(bounds, known, table, policy);
    if (known.unknown > 0) bound_latency(bounds, table, unknown);
    return bounds;
}

}  // namespace evalfleet::reduce
