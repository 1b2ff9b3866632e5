#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

using job::Estimate;

std::vector<std::string> row(std::string name, const Estimate& estimate, Unit unit) {
    return {std::move(name), show(estimate.value, unit), show(estimate.ci95, unit)};
}

std::vector<std::string> row(std::string name, const std::optional<double>& value, Unit unit) {
    return {std::move(name), show(value, unit), ""};
}

/// A mean, of which so few samples say nothing but what they are themselves.
std::vector<std::string> row_of_mean(std::string name, const Estimate& estimate, Unit unit,
                                     std::uint64_t samples) {
    const bool is_known = samples >= job::kFewestSamples;
    return {std::move(name), show(estimate.value, unit),
            show(is_known ? estimate.ci95 : std::nullopt, unit)};
}

std::vector<Column> figure_columns() {
    return {{"", Align::left}, {"Value"}, {"95 % CI"}};
}

// How far the latencies can be believed.
void add_timing(Table& table, const job::TimingQuality& timing) {
    if (timing.measured == 0) return;
    const auto share = [&](std::uint64_t count) {
        return std::optional(static_cast<double>(count) / static_cast<double>(timing.measured));
    };
    table.rows.push_back(row("Measured within 1 ms", share(timing.under_1_ms), Unit::share));
    table.rows.push_back(row("Measured within 1 %", share(timing.under_1_percent), Unit::share));
}

}  // namespace

Table gates_table(const std::vector<GateView>& gates) {
    Table table{
        "Gates",
        "",
        {{"Gate", Align::left}, {"Observed"}, {"95 % CI"}, {"Required"}, {"Result", Align::left}},
        {},
        {}};
    for (const GateView& gate : gates) {
        table.rows.push_back(
            {gate.title, gate.observed(), gate.interval(), gate.required(), gate.outcome()});
        const auto say = [&](const char* what, const std::string& why) {
            if (why.empty()) return;
            table.note +=
                fmt::format("{}{} {}: {}.", table.note.empty() ? "" : " ", gate.title, what, why);
        };
        say("has no interval", gate.no_interval);
        say("is open", gate.why_open());
        say("after the early end", gate.after_early_stop());
    }
    return table;
}

// The blocks count every trial for Wilson's interval, as the Specification asks. Repeats of a
// sample are not new samples: people are shown intervals that know it, or none.
Table scores_table(const job::Summary& summary) {
    const job::RubricBlock& rubric = summary.all.rubric;
    const job::SpecBlock& spec = summary.all.spec;
    const job::Gates& gates = summary.gates;
    const std::uint64_t samples = gates.aggregate_score.samples;
    const bool has_repeats = gates.pass_rate.ci_method == job::CiMethod::wilson_clustered;
    Table table{"Scores",
                "Accuracy, faithfulness and hallucination from 0 to 2.",
                figure_columns(),
                {},
                {}};
    const auto rate = [&](const char* name, const Estimate& estimate,
                          const std::optional<statistics::Interval>& clustered) {
        // A bootstrap of trials that are all alike has no width, and says nothing.
        const bool has_width = clustered && clustered->lower < clustered->upper;
        const auto known = has_width ? clustered : std::nullopt;
        return row(name, Estimate{estimate.value, has_repeats ? known : estimate.ci95},
                   Unit::share);
    };
    table.rows = {
        row_of_mean("Aggregate score", rubric.aggregate_score, Unit::score, samples),
        rate("Pass rate (Rubric)", rubric.pass_rate, gates.pass_rate.observed.ci95),
        rate("Pass rate (Specification)", spec.pass_rate,
             summary.extra.spec_pass_rate_cluster_ci95),
        row_of_mean("Accuracy, mean", rubric.accuracy_mean, Unit::score, samples),
        rate("Accuracy, full credit", rubric.accuracy_full_credit_rate, std::nullopt),
        row_of_mean("Faithfulness, mean", rubric.faithfulness_mean, Unit::score, samples),
        rate("Faithfulness failures", rubric.faithfulness_failure_rate,
             gates.faithfulness_failure_rate.observed.ci95),
        row("Hallucination, mean (0 is best)", spec.hallucination_score_mean, Unit::score),
    };
    if (has_repeats) table.note += " Intervals count a sample once, however often it was repeated.";
    return table;
}

Table latency_table(const job::Summary& summary) {
    const job::RubricBlock& rubric = summary.all.rubric;
    const job::SpecBlock& spec = summary.all.spec;
    Table table{"Latency",
                "End to end, retries and waits between them included.",
                figure_columns(),
                {},
                {}};
    constexpr std::size_t kP95Row = 2;
    table.rows = {
        row_of_mean("Mean", rubric.latency_e2e_mean_ms, Unit::milliseconds,
                    summary.gates.latency_e2e_p95_ms.samples),
        row("p50", rubric.latency_e2e_p50_ms, Unit::milliseconds),
        row("p95", rubric.latency_e2e_p95_ms, Unit::milliseconds),
        row("Model only, p50", rubric.latency_model_ms.p50, Unit::milliseconds),
        row("Model only, p95", rubric.latency_model_ms.p95, Unit::milliseconds),
    };
    if (const auto& why = summary.extra.p95_without_limit) {
        table.rows[kP95Row].back() = kUnknown;
        table.note += fmt::format(" The p95 has no interval: {}.", *why);
    }
    const std::string failed =
        fmt::format("Without an answer ({})", show_count(spec.failure_latency_count));
    table.rows.push_back(row(failed + ", p50", spec.failure_latency_ms.p50, Unit::milliseconds));
    table.rows.push_back(row(failed + ", p95", spec.failure_latency_ms.p95, Unit::milliseconds));
    add_timing(table, summary.extra.timing);
    return table;
}

Table tokens_table(const Report& report) {
    const job::RubricBlock& rubric = report.summary.all.rubric;
    const job::SpecBlock& spec = report.summary.all.spec;
    Table table{"Tokens and cost", "", {{"", Align::left}, {"Value"}}, {}, {}};
    table.rows = {
        {"Input tokens", show_count(rubric.tokens.input)},
        {"Output tokens", show_count(rubric.tokens.output)},
        {"Tokens per correct answer", show(rubric.tokens_per_correct_answer, Unit::tokens)},
        {"Output per input token, mean",
         show(rubric.token_efficiency_ratio_mean.value, Unit::ratio)},
        {"Judge tokens", show_count(report.findings.judge_tokens())},
        {"Cost of the model's calls", show(report.summary.extra.cost_usd, Unit::usd)},
        {"Cost of the judge's calls", show(report.summary.extra.evaluator_cost_usd, Unit::usd)},
    };
    if (report.metadata.price_table) table.rows.push_back({"Prices", *report.metadata.price_table});
    if (spec.tokens.cache_read > 0) {
        table.rows.push_back({"Input tokens from cache", show_count(spec.tokens.cache_read)});
        table.rows.push_back({"Saved by the cache, estimated",
                              show(spec.total_estimated_cache_savings_usd, Unit::usd)});
    }
    return table;
}

Table failures_table(const job::Summary& summary) {
    const job::FailureTaxonomy& taxonomy = summary.all.rubric.failure_taxonomy;
    Table table{
        "Failures",
        fmt::format("Main reason of the {} of {} trials that did not pass by the Rubric.",
                    show_count(taxonomy.failures), show_count(summary.all.rubric.total_count)),
        {{"Label", Align::left}, {"Trials"}, {"Share"}},
        {},
        {}};
    for (std::size_t i = 0; i < job::kFailureLabelCount; ++i) {
        if (taxonomy.counts[i] == 0) continue;
        const double share = static_cast<double>(taxonomy.counts[i]) /
                             static_cast<double>(std::max<std::uint64_t>(taxonomy.failures, 1));
        table.rows.push_back({std::string(job::to_string(static_cast<job::FailureLabel>(i))),
                              show_count(taxonomy.counts[i]), show(share, Unit::share)});
        table.shares.push_back(share);
    }
    const std::string others = explain_other(summary.outcomes);
    if (!others.empty()) table.note += fmt::format(" Of those labelled other: {}.", others);
    return table;
}

Table redactions_table(const job::Summary& summary) {
    Table table{"Redactions",
                "Pieces of text that were replaced before anything was stored.",
                {{"Kind", Align::left}, {"Pieces"}},
                {},
                {}};
    for (const auto& [kind, count] : summary.extra.redactions)
        table.rows.push_back({kind, show_count(count)});
    return table;
}

Table repeats_table(const job::Summary& summary) {
    const job::Repeatability& repeats = summary.repeatability;
    Table table{"Repeatability",
                "",
                {{"Repeat", Align::left}, {"Aggregate score"}, {"Latency p95"}},
                {},
                {}};
    for (const auto& repeat : repeats.per_repeat) {
        table.rows.push_back({std::to_string(repeat.repeat),
                              show(repeat.aggregate_score, Unit::score),
                              show(repeat.latency_e2e_p95_ms, Unit::milliseconds)});
    }
    table.rows.push_back({"Mean", show(repeats.aggregate_score_mean, Unit::score),
                          show(repeats.latency_e2e_p95_ms_mean, Unit::milliseconds)});
    table.rows.push_back({"Standard deviation", show(repeats.aggregate_score_stddev, Unit::score),
                          show(repeats.latency_e2e_p95_ms_stddev, Unit::milliseconds)});
    return table;
}

}  // namespace evalfleet::report
