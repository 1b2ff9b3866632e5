#include "coordinator/reduce/group_ranking.hpp"

#include "common/statistics/paired_tests.hpp"
#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/trial_pairs.hpp"

#include <algorithm>
#include <limits>

namespace evalfleet::reduce {
namespace {

// The differences of a figure, summed over the trials of each sample: repeats of one sample are not
// independent, so a sample is flipped as a whole.
template <class Figure>
std::vector<double> sample_differences(const TrialPairs& pairs, Figure figure) {
    std::vector<double> differences;
    differences.reserve(pairs.samples());
    const auto begin = pairs.sample_begin();
    for (std::size_t sample = 0; sample < pairs.samples(); ++sample) {
        double sum = 0;
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i) {
            const double difference = figure(pairs.candidate(i)) - figure(pairs.base(i));
            if (!std::isnan(difference)) sum += difference;
        }
        differences.push_back(sum);
    }
    return differences;
}

void test_means(std::vector<MetricDifference>& metrics, const TrialPairs& pairs,
                const CompareOptions& options) {
    const statistics::BootstrapPlan plan{options.replicates, options.seed,
                                         statistics::resolve_threads(options.threads)};
    for (MetricDifference& metric : metrics) {
        if (metric.pairs == 0) continue;
        if (metric.name == "aggregate_score") {
            metric.p_value = statistics::sign_flip_test(
                sample_differences(pairs, [](const TrialRow& row) { return row.sample_score; }),
                plan);
        } else if (metric.name == "latency_e2e_mean_ms") {
            metric.p_value = statistics::sign_flip_test(
                sample_differences(pairs,
                                   [](const TrialRow& row) { return row.rubric_latency_ms(); }),
                plan);
        }
    }
}

void correct(std::vector<RankedRun>& ranking) {
    std::vector<double> p_values;
    std::vector<MetricDifference*> tested;
    for (RankedRun& run : ranking) {
        for (MetricDifference& metric : run.differences) {
            // An interval alone is not corrected for how many are looked at.
            metric.significant = false;
            metric.regression = false;
            if (!metric.p_value) continue;
            p_values.push_back(*metric.p_value);
            tested.push_back(&metric);
        }
    }
    const auto corrected = statistics::holm_correction(p_values);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        tested[i]->p_value_holm = corrected[i];
        judge(*tested[i]);
    }
}

double score_of(const GroupRun& run) {
    return run.blocks.rubric.aggregate_score.value.value_or(
        -std::numeric_limits<double>::infinity());
}

void sort_and_number(std::vector<RankedRun>& ranking, std::span<const GroupRun> runs) {
    const auto score = [&](const RankedRun& ranked) { return score_of(runs[ranked.run]); };
    std::ranges::stable_sort(ranking, std::ranges::greater(), score);
    for (std::size_t i = 0; i < ranking.size(); ++i) {
        const bool shared = i > 0 && score(ranking[i]) == score(ranking[i - 1]);
        ranking[i].rank = shared ? ranking[i - 1].rank : i + 1;
    }
}

}  // namespace

std::vector<RankedRun> rank_runs(std::span<const GroupRun> runs,
                                 std::span<const RecordTable> tables,
                                 const CompareOptions& options) {
    std::vector<RankedRun> ranking(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ranking[i].run = i;
        if (i == 0) continue;
        const auto base = tables[0].rows();
        const auto candidate = tables[i].rows();
        ranking[i].differences = compare_rows(base, candidate, options).metrics;
        test_means(ranking[i].differences, TrialPairs(base, candidate), options);
    }
    correct(ranking);
    sort_and_number(ranking, runs);
    return ranking;
}

}  // namespace evalfleet::reduce
