#include "coordinator/reduce/unmeasured_bounds.hpp"

#include "common/statistics/exact_sum.hpp"
#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <vector>

namespace evalfleet::reduce {
namespace {

using statistics::Interval;

double perfect_score(const job::Policy::Weights& weights) noexcept {
    return weights.accuracy + weights.faithfulness + weights.latency + weights.token_efficiency;
}

bool is_unknown(const TrialRow& row, Unknown unknown) noexcept {
    return unknown == Unknown::lost ? row.lost != 0 : row.how_it_ended() != Response::answered;
}

bool is_null(std::uint32_t score) noexcept {
    return score == TrialRow::kNoScore;
}

// What is known for sure, and how often a figure is not.
struct Known {
    statistics::ExactSum scores;
    std::uint64_t score_count = 0;
    std::uint64_t rubric_passes = 0;
    std::uint64_t spec_passes = 0;
    std::uint64_t faithfulness_scores = 0;
    std::uint64_t faithfulness_failures = 0;
    std::uint64_t unknown_scores = 0;
    std::uint64_t unknown_rubric_passes = 0;
    std::uint64_t unknown_spec_passes = 0;
    std::uint64_t unknown_faithfulness = 0;
    bool has_unknown_trials = false;  ///< some of which nothing is known, not even a latency

    void add_unknown() noexcept {
        ++unknown_scores;
        ++unknown_rubric_passes;
        ++unknown_spec_passes;
        ++unknown_faithfulness;
        has_unknown_trials = true;
    }

    void add_unscored(const TrialRow& row) noexcept {
        ++unknown_scores;
        if (row.how_it_ended() != Response::answered) return;
        const bool unfaithful_unknown = is_null(row.faithfulness);
        unknown_faithfulness += unfaithful_unknown ? 1 : 0;
        const bool accuracy_unknown = is_null(row.accuracy);
        unknown_rubric_passes += unfaithful_unknown || accuracy_unknown ? 1 : 0;
        unknown_spec_passes += accuracy_unknown || is_null(row.hallucination) ? 1 : 0;
    }

    void add(const TrialRow& row) noexcept {
        if (std::isnan(row.sample_score)) add_unscored(row);
        rubric_passes += row.rubric_passed;
        spec_passes += row.spec_passed;
        faithfulness_scores += is_null(row.faithfulness) ? 0 : 1;
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
            known.add_unknown();
        else
            known.add(row);
    }
    return known;
}

void bound_scores(FigureBounds& bounds, const Known& known, const job::Policy& policy) {
    const std::uint64_t count = known.score_count + known.unknown_scores;
    if (count == 0) return;
    statistics::ExactSum highest = known.scores;
    // Rows are counted in 32 bits.
    highest.add(perfect_score(policy.weights), static_cast<std::uint32_t>(known.unknown_scores));
    const auto n = static_cast<double>(count);
    bounds.aggregate_score = Interval{known.scores.value() / n, highest.value() / n};
}

Interval bound_rate(std::uint64_t sure, std::uint64_t possible, std::uint64_t of) noexcept {
    const auto n = static_cast<double>(of);
    return {static_cast<double>(sure) / n, static_cast<double>(sure + possible) / n};
}

void bound_rates(FigureBounds& bounds, const Known& known, std::uint64_t trials) {
    if (trials == 0) return;
    bounds.rubric_pass_rate = bound_rate(known.rubric_passes, known.unknown_rubric_passes, trials);
    bounds.spec_pass_rate = bound_rate(known.spec_passes, known.unknown_spec_passes, trials);
    const std::uint64_t of = known.faithfulness_scores + known.unknown_faithfulness;
    if (of == 0) return;
    bounds.faithfulness_failure_rate =
        bound_rate(known.faithfulness_failures, known.unknown_faithfulness, of);
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
    bound_scores(bounds, known, policy);
    bound_rates(bounds, known, table.rows().size());
    if (known.has_unknown_trials) bound_latency(bounds, table, unknown);
    return bounds;
}

}  // namespace evalfleet::reduce
