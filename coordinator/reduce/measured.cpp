#include "coordinator/reduce/measured.hpp"

#include "coordinator/reduce/unmeasured_bounds.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::reduce {
namespace {

using statistics::Interval;

struct GateBound {
    job::Gate job::Gates::*gate;
    std::optional<Interval> FigureBounds::*bound;
};
constexpr std::array kBounds{
    GateBound{&job::Gates::aggregate_score, &FigureBounds::aggregate_score},
    GateBound{&job::Gates::pass_rate, &FigureBounds::rubric_pass_rate},
    GateBound{&job::Gates::faithfulness_failure_rate, &FigureBounds::faithfulness_failure_rate},
    GateBound{&job::Gates::latency_e2e_p95_ms, &FigureBounds::latency_e2e_p95_ms},
};
static_assert(kBounds.size() == job::kGates.size());

bool turns(const job::Gate& gate, const std::optional<Interval>& bound) {
    return bound && holds(bound->lower, gate.comparison, gate.threshold) !=
                        holds(bound->upper, gate.comparison, gate.threshold);
}

job::Measured classify(const job::Gates& gates, const FigureBounds& bounds) {
    const bool is_open = std::any_of(kBounds.begin(), kBounds.end(), [&](const GateBound& one) {
        return turns(gates.*one.gate, bounds.*one.bound);
    });
    return is_open ? job::Measured::partial : job::Measured::complete;
}

bool is_answered(const TrialRow& row) noexcept {
    return row.how_it_ended() == Response::answered;
}

/// It says something about the model: it has an answer with a score, or ran into the time limit.
bool says_something(const TrialRow& row) noexcept {
    const Response end = row.how_it_ended();
    return (end == Response::answered && !std::isnan(row.sample_score)) ||
           end == Response::timed_out;
}

job::Measured judge_lost(const job::Summary& summary, const RecordTable& table,
                         const job::Policy& policy) {
    // No records of no trials lack nothing.
    if (table.rows().empty() && summary.extra.missing_count == 0) return job::Measured::complete;
    if (std::ranges::none_of(table.rows(), says_something)) return job::Measured::not_measured;
    // What all that is unknown cannot turn, a part of it cannot.
    if (summary.extra.measured == job::Measured::complete) return job::Measured::complete;
    return classify(summary.gates, bound_figures(table, policy, Unknown::lost));
}

}  // namespace

void judge_measured(job::Summary& summary, const RecordTable& table, const job::Policy& policy) {
    const FigureBounds bounds = bound_figures(table, policy, Unknown::unanswered);
    job::Extra& extra = summary.extra;
    extra.aggregate_score_bounds = bounds.aggregate_score;
    extra.rubric_pass_rate_bounds = bounds.rubric_pass_rate;
    extra.spec_pass_rate_bounds = bounds.spec_pass_rate;
    extra.measured = std::ranges::none_of(table.rows(), is_answered)
                         ? job::Measured::not_measured
                         : classify(summary.gates, bounds);
    extra.could_measure = judge_lost(summary, table, policy);
    if (!extra.is_incomplete()) return;
    // It was cancelled, or a budget was used up: nobody knows what the other trials would have
    // said.
    for (job::Measured* measured : {&extra.measured, &extra.could_measure})
        if (*measured == job::Measured::complete) *measured = job::Measured::partial;
}

}  // namespace evalfleet::reduce
