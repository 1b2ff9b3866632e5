#include "coordinator/reduce/comparison.hpp"

#include "common/statistics/bootstrap.hpp"
#include "common/statistics/moments.hpp"
#include "common/statistics/paired_tests.hpp"
#include "common/statistics/parallel_for.hpp"
#include "common/statistics/percentile.hpp"
#include "coordinator/reduce/comparability.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/run_files.hpp"
#include "coordinator/reduce/sample_ids.hpp"
#include "coordinator/reduce/trial_pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace evalfleet::reduce {
namespace {

constexpr double kLevel = 0.05;

using Figure = double (*)(const TrialRow&);  // NaN: none

double rubric_pass(const TrialRow& row) {
    return row.rubric_passed == 0 ? 0.0 : 1.0;
}
double spec_pass(const TrialRow& row) {
    return row.spec_passed == 0 ? 0.0 : 1.0;
}
double sample_score(const TrialRow& row) {
    return row.sample_score;
}
double latency(const TrialRow& row) {
    return row.rubric_latency_ms();
}

enum class Statistic { mean, pass_rate, p95 };

struct MetricDefinition {
    const char* name;
    Figure figure;
    Statistic statistic;
    bool higher_is_better;
};

constexpr std::array kMetrics{
    MetricDefinition{"aggregate_score", sample_score, Statistic::mean, true},
    MetricDefinition{"rubric_pass_rate", rubric_pass, Statistic::pass_rate, true},
    MetricDefinition{"spec_pass_rate", spec_pass, Statistic::pass_rate, true},
    MetricDefinition{"latency_e2e_mean_ms", latency, Statistic::mean, false},
    MetricDefinition{"latency_e2e_p95_ms", latency, Statistic::p95, false},
};

// Computes the metrics over the pairs in which both runs have a value.
class PairedComparer {
  public:
    PairedComparer(const TrialPairs& pairs, const CompareOptions& options)
        : pairs_(pairs), options_(options) {}

    [[nodiscard]] std::vector<MetricDifference> compare() const {
        std::vector<MetricDifference> metrics;
        for (const MetricDefinition& definition : kMetrics) {
            metrics.push_back(observe(definition));
        }
        add_intervals(metrics);
        add_p_values(metrics);
        for (MetricDifference& metric : metrics) {
            judge(metric);
        }
        return metrics;
    }

  private:
    [[nodiscard]] double base(Figure figure, std::size_t i) const {
        const bool both = !std::isnan(figure(pairs_.candidate(i)));
        return both ? figure(pairs_.base(i)) : TrialRow::kNone;
    }
    [[nodiscard]] double candidate(Figure figure, std::size_t i) const {
        const bool both = !std::isnan(figure(pairs_.base(i)));
        return both ? figure(pairs_.candidate(i)) : TrialRow::kNone;
    }

    [[nodiscard]] MetricDifference observe(const MetricDefinition& definition) const {
        std::vector<double> before;
        std::vector<double> after;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (std::isnan(base(definition.figure, i))) continue;
            before.push_back(base(definition.figure, i));
            after.push_back(candidate(definition.figure, i));
        }
        MetricDifference metric;
        metric.name = definition.name;
        metric.higher_is_better = definition.higher_is_better;
        metric.pairs = before.size();
        const auto statistic = [&](std::vector<double>& values) {
            return definition.statistic == Statistic::p95
                       ? statistics::percentile_in_place(values, 0.95)
                       : statistics::mean(values);
        };
        metric.base = statistic(before);
        metric.candidate = statistic(after);
        if (metric.base && metric.candidate) metric.difference = *metric.candidate - *metric.base;
        return metric;
    }

    // Resamples samples with both runs' trials together, so what they have in common cancels out.
    void add_intervals(std::vector<MetricDifference>& metrics) const {
        statistics::ClusterBootstrap bootstrap(pairs_.sample_begin());
        for (const MetricDefinition& definition : kMetrics) {
            const Figure figure = definition.figure;
            if (definition.statistic == Statistic::p95) {
                bootstrap.add_percentile_difference(
                    [this, figure](std::size_t i) { return candidate(figure, i); },
                    [this, figure](std::size_t i) { return base(figure, i); }, 0.95);
            } else {
                bootstrap.add_mean([this, figure](std::size_t i) {
                    return candidate(figure, i) - base(figure, i);
                });
            }
        }
        const auto intervals = bootstrap.run(
            {options_.replicates, options_.seed, statistics::resolve_threads(options_.threads)});
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            metrics[i].ci95 = intervals[i];
        }
    }

    [[nodiscard]] double mcnemar(Figure passes) const {
        std::uint64_t lost = 0;
        std::uint64_t won = 0;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const double change = passes(pairs_.candidate(i)) - passes(pairs_.base(i));
            lost += change < 0 ? 1 : 0;
            won += change > 0 ? 1 : 0;
        }
        return statistics::mcnemar_exact(lost, won);
    }

    void add_p_values(std::vector<MetricDifference>& metrics) const {
        if (pairs_.size() == 0) return;
        std::vector<double> p_values;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < kMetrics.size(); ++i) {
            if (kMetrics[i].statistic != Statistic::pass_rate) continue;
            p_values.push_back(mcnemar(kMetrics[i].figure));
            places.push_back(i);
        }
        const auto corrected = statistics::holm_correction(p_values);
        for (std::size_t i = 0; i < places.size(); ++i) {
            metrics[places[i]].p_value = p_values[i];
            metrics[places[i]].p_value_holm = corrected[i];
        }
    }

    const TrialPairs& pairs_;
    const CompareOptions& options_;
};

std::vector<FlippedTrial> find_flipped(const TrialPairs& pairs) {
    std::vector<FlippedTrial> flipped;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const TrialRow& before = pairs.base(i);
        const TrialRow& after = pairs.candidate(i);
        if (before.rubric_passed != after.rubric_passed) {
            flipped.push_back(
                {before.sample_index, before.repeat, "rubric", after.rubric_passed != 0});
        }
        if (before.spec_passed != after.spec_passed) {
            flipped.push_back({before.sample_index, before.repeat, "spec", after.spec_passed != 0});
        }
    }
    return flipped;
}

Result<RecordTable> read_records(const std::filesystem::path& folder, unsigned threads) {
    return load_records(std::array{folder / kRecordsFile}, {.threads = threads});
}

Status blocking_name_samples(std::vector<FlippedTrial>& trials,
                             const std::filesystem::path& folder) {
    std::unordered_set<std::uint32_t> wanted;
    for (const FlippedTrial& trial : trials)
        wanted.insert(trial.sample_index);
    auto ids = blocking_find_sample_ids(folder / kRecordsFile, std::move(wanted));
    if (!ids) return ids.error();
    for (FlippedTrial& trial : trials)
        trial.sample_id = (*ids)[trial.sample_index];
    return {};
}

}  // namespace

// McNemar takes trials as independent, which repeats of one sample are not; the bootstrap does not.
// A metric that has a test must convince both.
void judge(MetricDifference& metric) {
    metric.significant = false;
    metric.regression = false;
    if (!metric.difference || !metric.ci95) return;
    const bool leaves_out_zero = metric.ci95->lower > 0 || metric.ci95->upper < 0;
    metric.significant = leaves_out_zero && metric.p_value_holm.value_or(0) < kLevel;
    const bool worse = metric.higher_is_better ? *metric.difference < 0 : *metric.difference > 0;
    metric.regression = metric.significant && worse;
}

bool RunComparison::significant_regression() const noexcept {
    return std::ranges::any_of(metrics, &MetricDifference::regression);
}

RunComparison compare_rows(std::span<const TrialRow> base, std::span<const TrialRow> candidate,
                           const CompareOptions& options) {
    const TrialPairs pairs(base, candidate);
    RunComparison result;
    result.base_trials = base.size();
    result.candidate_trials = candidate.size();
    result.shared_trials = pairs.size();
    result.shared_samples = pairs.samples();
    result.metrics = PairedComparer(pairs, options).compare();
    result.flipped = find_flipped(pairs);
    return result;
}

Result<RunComparison> compare_runs(const std::filesystem::path& base,
                                   const std::filesystem::path& candidate,
                                   const CompareOptions& options) {
    const auto base_metadata = blocking_read_metadata(base);
    if (!base_metadata) return base_metadata.error();
    const auto candidate_metadata = blocking_read_metadata(candidate);
    if (!candidate_metadata) return candidate_metadata.error();
    auto incomparable = reasons_not_to_compare(*base_metadata, *candidate_metadata);
    if (!incomparable.empty() && !options.force) {
        return Error{ErrorKind::invalid,
                     fmt::format("the runs are not comparable: {}", fmt::join(incomparable, "; "))};
    }
    const auto before = read_records(base, options.threads);
    if (!before) return before.error();
    const auto after = read_records(candidate, options.threads);
    if (!after) return after.error();
    RunComparison compared = compare_rows(before->rows(), after->rows(), options);
    compared.incomparable = std::move(incomparable);
    if (const Status named = blocking_name_samples(compared.flipped, candidate); !named)
        return named.error();
    return compared;
}

}  // namespace evalfleet::reduce
