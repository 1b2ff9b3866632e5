#include "coordinator/reduce/sample_differences.hpp"

#include "common/job/p95_limit.hpp"
#include "common/statistics/bootstrap.hpp"
#include "common/statistics/moments.hpp"
#include "common/statistics/percentile.hpp"
#include "coordinator/reduce/trial_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace evalfleet::reduce {
namespace {

// No call and no answer is shorter, so that a ratio is always a number.
constexpr double kShortestMs = 0.001;
constexpr double kFewestTokens = 1;

double score_of(std::uint32_t score) {
    return score == TrialRow::kNoScore ? TrialRow::kNone : static_cast<double>(score);
}
double tokens_of(const TrialRow& row, std::uint32_t tokens) {
    const bool known = tokens != TrialRow::kNoTokens && row.how_it_ended() == Response::answered;
    return known ? std::log(std::max(kFewestTokens, static_cast<double>(tokens))) : TrialRow::kNone;
}

double accuracy(const TrialRow& row) {
    return if_measured(row, score_of(row.accuracy));
}
double faithfulness(const TrialRow& row) {
    return if_measured(row, score_of(row.faithfulness));
}
double latency(const TrialRow& row) {
    return std::log(std::max(row.rubric_latency_ms(), kShortestMs));
}
double output_tokens(const TrialRow& row) {
    return tokens_of(row, row.output_tokens);
}
double total_tokens(const TrialRow& row) {
    return tokens_of(row, row.total_tokens);
}

constexpr double kTwice = std::numbers::ln2;

constexpr std::array kMetrics{
    ComparedMetric{"aggregate_score", measured_score, Scale::difference, true, 1, false, false},
    ComparedMetric{"rubric_pass_rate", measured_pass, Scale::difference, true, 1, true, false},
    ComparedMetric{"spec_pass_rate", measured_spec_pass, Scale::difference, true, 1, true, false},
    ComparedMetric{"accuracy_mean", accuracy, Scale::difference, true, 2, true, false},
    ComparedMetric{"faithfulness_mean", faithfulness, Scale::difference, true, 2, true, false},
    ComparedMetric{"latency_e2e_ms", latency, Scale::ratio, false, kTwice, false, true},
    ComparedMetric{"output_tokens", output_tokens, Scale::ratio, false, kTwice, false, false},
    ComparedMetric{"total_tokens", total_tokens, Scale::ratio, false, kTwice, false, false},
};

bool is_reused(const TrialPairs& pairs, std::size_t i) {
    return pairs.base(i).reused != 0 || pairs.candidate(i).reused != 0;
}

// The latencies of pair i, both NaN unless both runs measured one.
struct Latencies {
    double base;
    double candidate;
};
Latencies latencies_of(const TrialPairs& pairs, std::size_t i) {
    const Latencies both{pairs.base(i).rubric_latency_ms(), pairs.candidate(i).rubric_latency_ms()};
    const bool known =
        !is_reused(pairs, i) && !std::isnan(both.base) && !std::isnan(both.candidate);
    return known ? both : Latencies{TrialRow::kNone, TrialRow::kNone};
}

std::optional<statistics::Interval> p95_interval(const TrialPairs& pairs,
                                                 const ComparisonPlan& plan) {
    statistics::ClusterBootstrap bootstrap(pairs.sample_begin());
    bootstrap.add_percentile_difference(
        [&](std::size_t i) { return latencies_of(pairs, i).candidate; },
        [&](std::size_t i) { return latencies_of(pairs, i).base; }, 0.95);
    return bootstrap.run({plan.replicates, plan.seed, plan.threads}).front();
}

DifferenceSpread spread_of(std::span<const double> bases, std::span<const double> candidates,
                           const statistics::VarianceSplitter& differences) {
    DifferenceSpread spread;
    spread.differences = differences.components();
    if (!spread.differences) return spread;
    spread.base_mean = *statistics::mean(bases);
    spread.base_drop = statistics::typical_drop(bases);
    double squares = 0;
    double sizes = 0;
    for (const double difference : differences.means()) {
        squares += difference * difference;
        sizes += std::fabs(difference);
    }
    if (sizes > 0) spread.step = squares / sizes;
    spread.tails = statistics::tails_of(differences.means());
    const double base = *statistics::sample_stddev(bases);
    const double candidate = *statistics::sample_stddev(candidates);
    spread.both_variances = base * base + candidate * candidate;
    // var(c - b) = var(b) + var(c) - 2 r sd(b) sd(c), solved for r.
    if (base > 0 && candidate > 0) {
        const double r =
            (spread.both_variances - spread.differences->of_means) / (2 * base * candidate);
        spread.correlation = std::clamp(r, -1.0, 1.0);
    }
    return spread;
}

}  // namespace

std::span<const ComparedMetric> compared_metrics() noexcept {
    return kMetrics;
}

std::string why_without_values(std::uint64_t reused_pairs) {
    if (reused_pairs == 0) return "no trial has a value in both runs";
    return "not compared: the answers were taken over from an earlier run, and their latency with "
           "them";
}

SampleDifferences sample_differences(const TrialPairs& pairs, const ComparedMetric& metric) {
    SampleDifferences result;
    std::vector<double> bases;
    std::vector<double> candidates;
    statistics::VarianceSplitter splitter;
    std::vector<double> repeats;
    const auto begin = pairs.sample_begin();
    for (std::size_t sample = 0; sample < pairs.samples(); ++sample) {
        repeats.clear();
        double base = 0;
        double candidate = 0;
        std::uint64_t count = 0;
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i) {
            if (metric.is_latency && is_reused(pairs, i)) {
                ++result.reused;
                continue;
            }
            const double before = metric.value(pairs.base(i));
            const double after = metric.value(pairs.candidate(i));
            if (std::isnan(before) || std::isnan(after)) continue;
            base += before;
            candidate += after;
            repeats.push_back(after - before);
            ++count;
        }
        if (count == 0) continue;
        const auto size = static_cast<double>(count);
        result.pairs += count;
        bases.push_back(base / size);
        candidates.push_back(candidate / size);
        result.values.push_back((candidate - base) / size);
        splitter.add_sample(repeats);
    }
    result.base_mean = statistics::mean(bases).value_or(0);
    result.candidate_mean = statistics::mean(candidates).value_or(0);
    result.spread = spread_of(bases, candidates, splitter);
    return result;
}

MetricDifference describe_p95(const TrialPairs& pairs, const ComparisonPlan& plan) {
    MetricDifference row;
    row.name = "latency_e2e_p95_ms";
    row.higher_is_better = false;
    std::vector<double> before;
    std::vector<double> after;
    std::uint64_t reused = 0;
    const auto begin = pairs.sample_begin();
    for (std::size_t sample = 0; sample < pairs.samples(); ++sample) {
        const std::size_t known = before.size();
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i) {
            reused += is_reused(pairs, i) ? 1 : 0;
            const Latencies both = latencies_of(pairs, i);
            if (std::isnan(both.base)) continue;
            before.push_back(both.base);
            after.push_back(both.candidate);
        }
        row.samples += before.size() > known ? 1 : 0;
    }
    row.pairs = before.size();
    if (before.empty()) {
        row.reason = why_without_values(reused);
        return row;
    }
    row.base = statistics::percentile_in_place(before, 0.95);
    row.candidate = statistics::percentile_in_place(after, 0.95);
    row.difference = *row.candidate - *row.base;
    if (const auto why = job::why_no_p95_limit(row.samples)) {
        row.reason = "described only, without an interval: " + *why;
        return row;
    }
    row.reason = "described only: a bootstrap of a p95 is no test";
    if (plan.replicates >= kFewestReplicates) row.ci95 = p95_interval(pairs, plan);
    return row;
}

}  // namespace evalfleet::reduce
