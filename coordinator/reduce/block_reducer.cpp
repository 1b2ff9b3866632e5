#include "coordinator/reduce/block_reducer.hpp"

#include "common/statistics/exact_sum.hpp"
#include "common/statistics/parallel_for.hpp"
#include "common/statistics/percentile.hpp"
#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace evalfleet::reduce {
namespace {

using job::Estimate;
using job::ScoreHistogram;

// Everything that is a count or a sum, from one walk over the rows.
struct Tally {
    std::uint64_t rubric_passes = 0;
    std::uint64_t spec_passes = 0;
    ScoreHistogram accuracy;
    ScoreHistogram faithfulness;
    ScoreHistogram hallucination;
    job::FailureTaxonomy rubric_failures;
    job::FailureTaxonomy spec_failures;
    struct Sum {
        statistics::ExactSum sum;
        std::uint64_t count = 0;

        void add(double value) noexcept {
            if (std::isnan(value)) return;
            sum.add(value);
            ++count;
        }
        [[nodiscard]] std::optional<double> mean() const noexcept {
            if (count == 0) return std::nullopt;
            return sum.value() / static_cast<double>(count);
        }
    };
    Sum sample_score;
    Sum latency;
    Sum ratio;
    Sum savings_usd;
};

void add_score(ScoreHistogram& histogram, std::uint32_t score) noexcept {
    ++(score == TrialRow::kNoScore ? histogram.null_count : histogram.counts[score]);
}

void add_failure(job::FailureTaxonomy& taxonomy, std::uint32_t label) noexcept {
    ++taxonomy.failures;
    if (label != TrialRow::kNoLabel) ++taxonomy.counts[label];
}

Tally tally_rows(const Population& trials) {
    Tally tally;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const TrialRow& row = trials[i];
        tally.rubric_passes += row.rubric_passed;
        tally.spec_passes += row.spec_passed;
        if (row.rubric_passed == 0) add_failure(tally.rubric_failures, row.failure_label);
        if (row.spec_passed == 0) add_failure(tally.spec_failures, row.failure_label);
        add_score(tally.accuracy, row.accuracy);
        add_score(tally.faithfulness, row.faithfulness);
        add_score(tally.hallucination, row.hallucination);
        tally.sample_score.add(row.sample_score);
        tally.latency.add(row.rubric_latency_ms());
        tally.ratio.add(row.output_input_ratio);
        tally.savings_usd.add(row.cache_savings_usd);
    }
    return tally;
}

std::uint64_t scored(const ScoreHistogram& scores) noexcept {
    return scores.counts[0] + scores.counts[1] + scores.counts[2];
}

std::optional<double> mean_score(const ScoreHistogram& scores) noexcept {
    const std::uint64_t n = scored(scores);
    if (n == 0) return std::nullopt;
    return static_cast<double>(scores.counts[1] + 2 * scores.counts[2]) / static_cast<double>(n);
}

Estimate rate(std::uint64_t count, std::uint64_t n) {
    if (n == 0) return {};
    return {static_cast<double>(count) / static_cast<double>(n),
            statistics::wilson_interval(count, n)};
}

template <class ValueOf>
job::Percentiles percentiles(const Population& trials, ValueOf value_of) {
    std::vector<double> values = trials.values(value_of);
    return {statistics::percentile_in_place(values, 0.5),
            statistics::percentile_in_place(values, 0.95)};
}

double score_or_none(std::uint32_t score) noexcept {
    return score == TrialRow::kNoScore ? TrialRow::kNone : static_cast<double>(score);
}

// The order statistics, each of which has a copy of its values.
struct Latencies {
    job::Percentiles rubric;  ///< answered and timed out
    job::Percentiles answered;
    job::Percentiles model;
    job::Percentiles failures;  ///< not answered
    std::uint64_t failure_count = 0;
};

// Below this many trials threads cost more than they save.
constexpr std::size_t kTrialsToDivide = 50'000;

void walk_all(const Population& trials, unsigned threads, Tally& tally, Latencies& latencies) {
    const std::array<std::function<void()>, 4> walks{
        [&] { tally = tally_rows(trials); },
        [&] {
            latencies.rubric =
                percentiles(trials, [](const TrialRow& row) { return row.rubric_latency_ms(); });
        },
        [&] {
            latencies.answered = percentiles(trials, [](const TrialRow& row) {
                return row.how_it_ended() == Response::answered ? row.latency_e2e_ms
                                                                : TrialRow::kNone;
            });
            const auto failure = [](const TrialRow& row) {
                return row.how_it_ended() == Response::answered ? TrialRow::kNone
                                                                : row.latency_e2e_ms;
            };
            latencies.failures = percentiles(trials, failure);
            latencies.failure_count = trials.values(failure).size();
        },
        [&] {
            latencies.model =
                percentiles(trials, [](const TrialRow& row) { return row.latency_model_ms; });
        },
    };
    statistics::parallel_for(trials.size() < kTrialsToDivide ? 1 : threads, walks.size(),
                             [&](unsigned, std::size_t i) { walks[i](); });
}

void fill_spec(job::SpecBlock& block, std::uint64_t trials, const Tally& tally,
               const Latencies& latencies) {
    block.total_count = trials;
    block.pass_count = tally.spec_passes;
    block.pass_rate = rate(tally.spec_passes, trials);
    block.e2e_latency_ms = latencies.answered;
    block.model_latency_ms = latencies.model;
    block.failure_latency_ms = latencies.failures;
    block.failure_latency_count = latencies.failure_count;
    block.correctness_score_mean = mean_score(tally.accuracy);
    block.faithfulness_score_mean = mean_score(tally.faithfulness);
    block.hallucination_score_mean = mean_score(tally.hallucination);
    block.correctness_scores = tally.accuracy;
    block.faithfulness_scores = tally.faithfulness;
    block.hallucination_scores = tally.hallucination;
    block.output_input_ratio_mean = tally.ratio.mean();
    if (tally.savings_usd.count > 0) {
        block.total_estimated_cache_savings_usd = tally.savings_usd.sum.value();
    }
    block.failure_taxonomy = tally.spec_failures;
}

void fill_rubric(job::RubricBlock& block, std::uint64_t trials, const Tally& tally,
                 const Latencies& latencies) {
    block.total_count = trials;
    block.pass_count = tally.rubric_passes;
    block.pass_rate = rate(tally.rubric_passes, trials);
    block.aggregate_score.value = tally.sample_score.mean();
    block.accuracy_mean.value = mean_score(tally.accuracy);
    block.accuracy_full_credit_rate = rate(tally.accuracy.counts[2], scored(tally.accuracy));
    block.faithfulness_mean.value = mean_score(tally.faithfulness);
    block.faithfulness_failure_rate =
        rate(tally.faithfulness.counts[0], scored(tally.faithfulness));
    block.latency_e2e_mean_ms.value = tally.latency.mean();
    block.latency_e2e_p50_ms = latencies.rubric.p50;
    block.latency_e2e_p95_ms.value = latencies.rubric.p95;
    block.latency_model_ms = latencies.model;
    block.token_efficiency_ratio_mean.value = tally.ratio.mean();
    block.failure_taxonomy = tally.rubric_failures;
}

void fill_tokens(job::Blocks& blocks, const job::TokenTotals& tokens) {
    blocks.rubric.tokens = tokens;
    blocks.spec.tokens = tokens;
    const std::uint64_t correct =
        std::max<std::uint64_t>(blocks.spec.correctness_scores.counts[2], 1);
    blocks.rubric.tokens_per_correct_answer =
        static_cast<double>(tokens.total) / static_cast<double>(correct);
}

void fill_intervals(ReducedBlocks& result, const Population& trials,
                    const statistics::BootstrapPlan& plan, ClusterRates cluster_rates) {
    statistics::ClusterBootstrap bootstrap(trials.sample_begin());
    std::vector<std::optional<statistics::Interval>*> targets;
    const auto add_mean = [&](auto value_of, std::optional<statistics::Interval>& target) {
        bootstrap.add_mean([&trials, value_of](std::size_t i) { return value_of(trials[i]); });
        targets.push_back(&target);
    };
    job::RubricBlock& rubric = result.blocks.rubric;
    add_mean([](const TrialRow& row) { return row.sample_score; }, rubric.aggregate_score.ci95);
    add_mean([](const TrialRow& row) { return score_or_none(row.accuracy); },
             rubric.accuracy_mean.ci95);
    add_mean([](const TrialRow& row) { return score_or_none(row.faithfulness); },
             rubric.faithfulness_mean.ci95);
    add_mean([](const TrialRow& row) { return row.rubric_latency_ms(); },
             rubric.latency_e2e_mean_ms.ci95);
    add_mean([](const TrialRow& row) { return row.output_input_ratio; },
             rubric.token_efficiency_ratio_mean.ci95);
    if (cluster_rates == ClusterRates::include) {
        add_mean([](const TrialRow& row) { return row.rubric_passed == 0 ? 0.0 : 1.0; },
                 result.rubric_pass_rate_cluster_ci95);
        add_mean([](const TrialRow& row) { return row.spec_passed == 0 ? 0.0 : 1.0; },
                 result.spec_pass_rate_cluster_ci95);
    }
    bootstrap.add_percentile([&trials](std::size_t i) { return trials[i].rubric_latency_ms(); },
                             0.95);
    targets.push_back(&rubric.latency_e2e_p95_ms.ci95);

    const auto intervals = bootstrap.run(plan);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        *targets[i] = intervals[i];
    }
}

}  // namespace

ReducedBlocks reduce_blocks(const Population& trials, const job::TokenTotals& tokens,
                            const statistics::BootstrapPlan& plan, ClusterRates cluster_rates) {
    ReducedBlocks result;
    Tally tally;
    Latencies latencies;
    walk_all(trials, plan.threads, tally, latencies);
    fill_rubric(result.blocks.rubric, trials.size(), tally, latencies);
    fill_spec(result.blocks.spec, trials.size(), tally, latencies);
    fill_tokens(result.blocks, tokens);
    fill_intervals(result, trials, plan, cluster_rates);
    return result;
}

}  // namespace evalfleet::reduce
