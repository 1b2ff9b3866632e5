#include "coordinator/reduce/measured.hpp"

#include "common/statistics/percentile.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <vector>

namespace evalfleet::reduce {
namespace {

using statistics::Interval;

// What of the trials the bounds of two gates are made of.
struct Counts {
    std::uint64_t answered_and_scored = 0;
    std::uint64_t lost = 0;
    std::uint64_t faithfulness_scores = 0;
    std::uint64_t faithfulness_failures = 0;
};

Counts count(const RecordTable& table) {
    Counts counts;
    for (const TrialRow& row : table.rows()) {
        const bool is_scored = !std::isnan(row.sample_score);
        counts.answered_and_scored += row.how_it_ended() == Response::answered && is_scored ? 1 : 0;
        counts.lost += row.lost;
        counts.faithfulness_scores += row.faithfulness != TrialRow::kNoScore ? 1 : 0;
        counts.faithfulness_failures += row.faithfulness == 0 ? 1 : 0;
    }
    return counts;
}

Interval bound_failure_rate(const Counts& counts, std::uint64_t unmeasured) {
    const auto of = static_cast<double>(counts.faithfulness_scores + unmeasured);
    return {static_cast<double>(counts.faithfulness_failures) / of,
            static_cast<double>(counts.faithfulness_failures + unmeasured) / of};
}

// A lost trial may have been answered at once, or never. An unscored one has its latency.
Interval bound_latency(const RecordTable& table, std::uint64_t lost) {
    constexpr double kNever = 1e300;
    const auto percentile_with = [&](double latency) {
        std::vector<double> values(lost, latency);
        for (const TrialRow& row : table.rows()) {
            const double known = row.rubric_latency_ms();
            if (!std::isnan(known)) values.push_back(known);
        }
        return statistics::percentile_in_place(values, 0.95).value_or(0);
    };
    return {percentile_with(0), percentile_with(kNever)};
}

bool is_open(const job::Gate& gate, const Interval& bounds) {
    return holds(bounds.lower, gate.comparison, gate.threshold) !=
           holds(bounds.upper, gate.comparison, gate.threshold);
}

}  // namespace

job::Measured judge_measured(const job::Summary& summary, const RecordTable& table) {
    const bool is_missing = summary.extra.missing_count > 0;
    if (table.rows().empty())
        return is_missing ? job::Measured::not_measured : job::Measured::complete;
    const Counts counts = count(table);
    if (counts.answered_and_scored == 0) return job::Measured::not_measured;
    const std::uint64_t unmeasured = counts.lost + table.unscored().size();
    if (unmeasured == 0) return job::Measured::complete;
    const job::Gates& gates = summary.gates;
    const bool turns =
        is_open(gates.aggregate_score, summary.extra.aggregate_score_bounds.value()) ||
        is_open(gates.pass_rate, summary.extra.rubric_pass_rate_bounds.value()) ||
        is_open(gates.faithfulness_failure_rate, bound_failure_rate(counts, unmeasured)) ||
        is_open(gates.latency_e2e_p95_ms, bound_latency(table, counts.lost));
    return turns ? job::Measured::partial : job::Measured::complete;
}

}  // namespace evalfleet::reduce
