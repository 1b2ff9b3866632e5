#include "coordinator/reduce/comparison_rule.hpp"

#include "common/statistics/mean_limits.hpp"
#include "common/statistics/paired_tests.hpp"
#include "common/statistics/parallel_for.hpp"
#include "common/statistics/sign_flip.hpp"
#include "coordinator/reduce/sample_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::reduce {
namespace {

constexpr double kLevel = 0.05;

// From the scale of the test to that of the report.
double reported(Scale scale, double difference) {
    return scale == Scale::ratio ? std::expm1(difference) : difference;
}
double reported_mean(Scale scale, double mean) {
    return scale == Scale::ratio ? std::exp(mean) : mean;
}

double reach_of(const ComparedMetric& metric, std::span<const double> values) {
    double reach = metric.reach;
    for (const double value : values)
        reach = std::max(reach, std::fabs(value));
    return reach;
}

void add_limits(MetricDifference& row, const ComparedMetric& metric,
                std::span<const double> values) {
    const double reach = reach_of(metric, values);
    const statistics::Interval interval = metric.is_graded
                                              ? statistics::bounded_interval(values, reach)
                                              : statistics::student_interval(values);
    // Of differences that are all alike nothing is known but what their range allows; of a ratio,
    // which has none, nothing at all.
    constexpr double kRounding = 1e-9;
    const bool has_spread = interval.upper - interval.lower > kRounding;
    if (has_spread || metric.scale == Scale::difference) {
        const statistics::Interval shown =
            has_spread ? interval : statistics::bounded_interval(values, reach);
        row.ci95 = statistics::Interval{reported(metric.scale, shown.lower),
                                        reported(metric.scale, shown.upper)};
    }
    const double sign = metric.higher_is_better ? -1 : 1;
    std::vector<double> losses(values.begin(), values.end());
    for (double& loss : losses)
        loss *= sign;
    const double seen = metric.higher_is_better ? -interval.lower : interval.upper;
    const double limit = std::max({0.0, seen, statistics::upper_limit(losses, reach)});
    row.worse_by_at_most = reported(metric.scale, limit);
}

void describe_flips(MetricDifference& row, std::span<const double> values) {
    row.lost_samples =
        static_cast<std::uint64_t>(std::ranges::count_if(values, [](double d) { return d < 0; }));
    row.won_samples =
        static_cast<std::uint64_t>(std::ranges::count_if(values, [](double d) { return d > 0; }));
    row.mcnemar_p_value = statistics::mcnemar_exact(*row.lost_samples, *row.won_samples);
}

bool is_pass_rate(const MetricDifference& row) {
    return row.name == "rubric_pass_rate" || row.name == "spec_pass_rate";
}

MetricDifference test_metric(const SampleDifferences& differences, const ComparedMetric& metric,
                             const ComparisonPlan& plan, std::uint64_t flips) {
    MetricDifference row;
    row.name = metric.name;
    row.higher_is_better = metric.higher_is_better;
    row.scale = metric.scale;
    row.pairs = differences.pairs;
    row.samples = differences.values.size();
    if (const auto margin = plan.margins.find(metric.name); margin != plan.margins.end())
        row.margin = margin->second;
    if (row.samples == 0) {
        row.reason = why_without_values(differences.reused);
        return row;
    }
    row.base = reported_mean(metric.scale, differences.base_mean);
    row.candidate = reported_mean(metric.scale, differences.candidate_mean);
    row.difference = reported(metric.scale, differences.candidate_mean - differences.base_mean);
    if (is_pass_rate(row)) describe_flips(row, differences.values);
    if (row.samples < kFewestSamples) {
        row.reason = fmt::format("{} sample{} with a value in both runs, at least {} are needed",
                                 row.samples, row.samples == 1 ? "" : "s", kFewestSamples);
        return row;
    }
    if (plan.replicates < kFewestReplicates) {
        row.reason = fmt::format("{} bootstrap replicates, at least {} are needed", plan.replicates,
                                 kFewestReplicates);
        return row;
    }
    add_limits(row, metric, differences.values);
    row.p_value = statistics::sign_flip_test(differences.values, {flips, plan.seed});
    return row;
}

bool is_loss(const MetricDifference& row) {
    return row.higher_is_better ? *row.difference < 0 : *row.difference > 0;
}

std::string why_margin_is_open(const MetricDifference& row) {
    const auto shown = [&](double value) {
        return row.scale == Scale::ratio ? fmt::format("{:.3g} %", 100 * value)
                                         : fmt::format("{:.3g}", value);
    };
    return fmt::format("no loss is shown, but it may be as large as {}, and the margin is {}",
                       shown(*row.worse_by_at_most), shown(*row.margin));
}

void test_difference(MetricDifference& row, std::size_t tests) {
    row.testable = row.samples >= samples_needed(tests);
    const bool is_significant = *row.p_value_holm < kLevel;
    const bool is_in_margin = row.margin && *row.worse_by_at_most < *row.margin;
    if (is_significant && !is_loss(row)) {
        row.verdict = Finding::better;
    } else if (is_in_margin) {
        row.verdict = Finding::no_worse;
    } else if (is_significant) {
        row.verdict = Finding::worse;
    } else if (!row.testable) {
        row.reason = fmt::format("{} samples, at least {} are needed for {} tests", row.samples,
                                 samples_needed(tests), tests);
    } else if (row.margin) {
        row.reason = why_margin_is_open(row);
    } else {
        row.reason = "the difference may be chance";
    }
}

std::string first_reason(const MetricDifference& row) {
    return fmt::format("{}: {}", row.name, row.reason.value_or("no reason known"));
}

}  // namespace

ComparisonRule::ComparisonRule(ComparisonPlan plan, std::size_t candidates)
    : plan_(std::move(plan)), candidates_(candidates) {}

void ComparisonRule::add(const TrialPairs& pairs) {
    const auto metrics = compared_metrics();
    const std::uint64_t flips = std::max<std::uint64_t>(
        plan_.replicates, statistics::flips_for(candidates_ * metrics.size()));
    Rows rows(metrics.size());
    std::vector<DifferenceSpread> spreads(metrics.size());
    statistics::parallel_for(plan_.threads, metrics.size(), [&](unsigned, std::size_t i) {
        const SampleDifferences differences = sample_differences(pairs, metrics[i]);
        rows[i] = test_metric(differences, metrics[i], plan_, flips);
        spreads[i] = differences.spread;
    });
    rows.push_back(describe_p95(pairs, plan_));
    rows_.push_back(std::move(rows));
    spreads_.push_back(std::move(spreads));
}

void ComparisonRule::add_power(std::size_t tests) {
    const auto metrics = compared_metrics();
    for (std::size_t candidate = 0; candidate < rows_.size(); ++candidate) {
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            MetricDifference& row = rows_[candidate][i];
            if (!row.p_value) continue;
            const auto asked = plan_.detect.find(metrics[i].name);
            row.power = row_power(
                metrics[i], spreads_[candidate][i], tests,
                asked == plan_.detect.end() ? std::nullopt : std::optional(asked->second));
        }
    }
}

std::vector<ComparisonRule::Rows> ComparisonRule::decide() && {
    std::vector<double> p_values;
    std::vector<MetricDifference*> tested;
    for (Rows& rows : rows_) {
        for (MetricDifference& row : rows) {
            if (!row.p_value) continue;
            p_values.push_back(*row.p_value);
            tested.push_back(&row);
        }
    }
    const auto corrected = statistics::holm_correction(p_values);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        tested[i]->p_value_holm = corrected[i];
        test_difference(*tested[i], tested.size());
    }
    add_power(tested.size());
    return std::move(rows_);
}

// Not decided by `Finding::cannot_tell` alone: with enough samples and no margin to keep, "nothing
// was found" is an answer.
std::string why_undecided(std::span<const MetricDifference> rows) {
    bool has_pass_rate = false;
    for (const MetricDifference& row : rows) {
        const bool is_undecided = row.verdict == Finding::cannot_tell;
        has_pass_rate = has_pass_rate || is_pass_rate(row);
        if (is_undecided && (row.margin || (is_pass_rate(row) && !row.testable)))
            return first_reason(row);
    }
    return has_pass_rate ? "" : "there is nothing to compare";
}

Decision decision_of(std::span<const MetricDifference> rows) {
    if (std::ranges::any_of(rows, [](const auto& row) { return row.verdict == Finding::worse; })) {
        return Decision::worse;
    }
    if (!why_undecided(rows).empty()) return Decision::cannot_tell;
    const bool has_margin =
        std::ranges::any_of(rows, [](const auto& row) { return row.margin.has_value(); });
    return has_margin ? Decision::no_worse : Decision::nothing_found;
}

}  // namespace evalfleet::reduce
