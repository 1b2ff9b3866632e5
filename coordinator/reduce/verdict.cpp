#include "coordinator/reduce/verdict.hpp"

#include "coordinator/reduce/gate_evidence.hpp"

#include <algorithm>

namespace evalfleet::reduce {
namespace {

using job::CiMethod;
using job::Gate;
using job::OpenReason;
using statistics::ClusteredRate;
using statistics::Interval;

// Enters what the certainty of one gate rests on: interval and method, samples, share.
using Weigh = void (*)(const GateEvidence&, const job::RubricBlock&, Gate&);
using WithUnscored = std::optional<GateEvidence::Extremes> GateEvidence::*;

void weigh_rate(const ClusteredRate& rate, Gate& gate) {
    gate.observed = {rate.rate(), rate.ci95()};
    gate.ci_method = rate.has_repeats() ? CiMethod::wilson_clustered : CiMethod::wilson;
    gate.samples = rate.samples();
}

void weigh_pass_rate(const GateEvidence& evidence, const job::RubricBlock&, Gate& gate) {
    weigh_rate(evidence.passes, gate);
}

void weigh_faithfulness(const GateEvidence& evidence, const job::RubricBlock&, Gate& gate) {
    weigh_rate(evidence.unfaithful, gate);
}

// The wider on each side of the bootstrap and Student's t.
void weigh_score(const GateEvidence& evidence, const job::RubricBlock& block, Gate& gate) {
    gate.observed = block.aggregate_score;
    gate.samples = evidence.scored_samples;
    gate.ci_method = CiMethod::bootstrap;
    if (gate.samples < kFewestSamples) {
        gate.open_because.push_back(OpenReason::small_sample);
        return;
    }
    gate.ci_method = CiMethod::bootstrap_or_t;
    const Interval t = evidence.score_t_ci95.value();
    const Interval bootstrap = gate.observed.ci95.value_or(t);
    gate.observed.ci95 =
        Interval{std::min(bootstrap.lower, t.lower), std::max(bootstrap.upper, t.upper)};
}

// A bootstrap of a 95th percentile knows nothing beyond the largest value seen, so what decides is
// how many trials lie above the threshold.
void weigh_latency(const GateEvidence& evidence, const job::RubricBlock& block, Gate& gate) {
    gate.observed = block.latency_e2e_p95_ms;
    gate.ci_method = CiMethod::bootstrap_and_share;
    gate.samples = evidence.slow.samples();
    gate.share_over = job::Estimate{evidence.slow.rate(), evidence.slow.ci95()};
}

struct GateRule {
    job::GateInfo info;
    Weigh weigh;
    WithUnscored with_unscored;  ///< null: a missing score changes nothing
};

constexpr std::array kRules{
    GateRule{job::kGates[0], weigh_score, &GateEvidence::score_with_unscored},
    GateRule{job::kGates[1], weigh_pass_rate, &GateEvidence::pass_rate_with_unscored},
    GateRule{job::kGates[2], weigh_faithfulness, &GateEvidence::unfaithful_with_unscored},
    GateRule{job::kGates[3], weigh_latency, nullptr},
};
static_assert(kRules.size() == job::kGates.size());

bool agrees(const Gate& gate, double value) noexcept {
    return holds(value, gate.comparison, gate.threshold) == gate.passed;
}

bool interval_leaves_open(const Gate& gate) {
    if (gate.share_over) {
        const auto& share = gate.share_over->ci95;
        if (!share) return true;
        return gate.passed ? share->upper > job::kShareOverLimit
                           : share->lower <= job::kShareOverLimit;
    }
    const auto& ci95 = gate.observed.ci95;
    return !gate.observed.value || !ci95 || !agrees(gate, ci95->lower) ||
           !agrees(gate, ci95->upper);
}

Gate evaluate(const GateRule& rule, const GateEvidence& evidence, const job::RubricBlock& block,
              const job::Policy::Gates& limits) {
    Gate gate;
    gate.comparison = rule.info.comparison;
    gate.threshold = limits.*rule.info.threshold;
    gate.default_threshold = job::Policy::Gates{}.*rule.info.threshold;
    rule.weigh(evidence, block, gate);
    gate.passed =
        gate.observed.value && holds(*gate.observed.value, gate.comparison, gate.threshold);
    if (interval_leaves_open(gate)) gate.open_because.push_back(OpenReason::interval);
    if (rule.with_unscored == nullptr) return gate;
    const auto& unscored = evidence.*rule.with_unscored;
    if (unscored && !(agrees(gate, unscored->worst) && agrees(gate, unscored->best)))
        gate.open_because.push_back(OpenReason::unscored);
    return gate;
}

}  // namespace

bool holds(double value, job::Comparison comparison, double threshold) noexcept {
    return comparison == job::Comparison::at_least ? value >= threshold : value <= threshold;
}

job::Gates evaluate_gates(const Population& trials, const job::RubricBlock& block,
                          const job::Policy::Gates& limits) {
    const GateEvidence evidence =
        gather_evidence(trials, block.aggregate_score.value, limits.max_latency_e2e_p95_ms);
    job::Gates gates;
    for (const GateRule& rule : kRules)
        gates.*rule.info.gate = evaluate(rule, evidence, block, limits);
    return gates;
}

}  // namespace evalfleet::reduce
