#include "coordinator/reduce/verdict.hpp"

namespace evalfleet::reduce {
namespace {

using job::Certainty;
using job::Comparison;

job::Gate judge(const job::Estimate& observed, Comparison comparison, double threshold,
                double default_threshold) {
    job::Gate gate;
    gate.observed = observed;
    gate.comparison = comparison;
    gate.threshold = threshold;
    gate.default_threshold = default_threshold;
    gate.passed = observed.value && holds(*observed.value, comparison, threshold);
    if (observed.value && observed.ci95 &&
        holds(observed.ci95->lower, comparison, threshold) == gate.passed &&
        holds(observed.ci95->upper, comparison, threshold) == gate.passed) {
        gate.certainty = Certainty::clear;
    }
    return gate;
}

}  // namespace

bool holds(double value, Comparison comparison, double threshold) noexcept {
    return comparison == Comparison::at_least ? value >= threshold : value <= threshold;
}

job::Gates judge_gates(const job::RubricBlock& block, const job::Policy::Gates& limits) {
    const job::Policy::Gates defaults;
    return {
        judge(block.aggregate_score, Comparison::at_least, limits.min_aggregate_score,
              defaults.min_aggregate_score),
        judge(block.pass_rate, Comparison::at_least, limits.min_pass_rate, defaults.min_pass_rate),
        judge(block.faithfulness_failure_rate, Comparison::at_most,
              limits.max_faithfulness_failure_rate, defaults.max_faithfulness_failure_rate),
        judge(block.latency_e2e_p95_ms, Comparison::at_most, limits.max_latency_e2e_p95_ms,
              defaults.max_latency_e2e_p95_ms)};
}

}  // namespace evalfleet::reduce
