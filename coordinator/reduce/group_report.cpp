#include "common/job/vocabulary.hpp"
#include "common/json/writer.hpp"
#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/reduce/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace evalfleet::reduce {
namespace {

void write_run(json::Writer& writer, const GroupRun& run) {
    writer.begin_object();
    writer.member("run_id", run.run_id);
    writer.member("model", run.model);
    writer.member("prompt_template_version", run.prompt_template);
    writer.member("incomplete", run.missing_count > 0);
    writer.member("missing_count", run.missing_count);
    writer.member("release_ready", run.gates.all_passed());
    job::write_blocks(writer, run.blocks);
    writer.end_object();
}

void write_slices(json::Writer& writer, std::string_view name, const job::Summary::Slices& slices) {
    writer.key(name).begin_object();
    for (const auto& [value, blocks] : slices) {
        writer.key(value).begin_object();
        job::write_blocks(writer, blocks);
        writer.end_object();
    }
    writer.end_object();
}

void write_ranked(json::Writer& writer, const RankedRun& ranked, const GroupRun& run) {
    writer.begin_object();
    writer.member("rank", ranked.rank);
    writer.member("run_id", run.run_id);
    writer.member("model", run.model);
    writer.member("prompt_template_version", run.prompt_template);
    writer.member("baseline", ranked.run == 0);
    writer.member("aggregate_score", run.blocks.rubric.aggregate_score.value);
    writer.member("release_ready", run.gates.all_passed());
    const bool is_baseline = ranked.run == 0;
    const auto decision =
        is_baseline ? std::nullopt : std::optional(decision_of(ranked.differences));
    writer.member("verdict", decision ? std::optional(job::to_string(*decision)) : std::nullopt);
    writer.member("significant_regression", decision == Decision::worse);
    writer.key("differences").begin_array();
    for (const MetricDifference& metric : ranked.differences)
        write(writer, metric);
    writer.end_array();
    writer.end_object();
}

template <class Item, class WriteItem>
void write_list(json::Writer& writer, std::string_view name, const std::vector<Item>& items,
                WriteItem write_item) {
    writer.key(name).begin_array();
    for (const Item& item : items)
        write_item(item);
    writer.end_array();
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string with_interval(const job::Estimate& estimate) {
    if (!estimate.ci95) return number(estimate.value);
    return fmt::format("{} [{:.4g}, {:.4g}]", number(estimate.value), estimate.ci95->lower,
                       estimate.ci95->upper);
}

constexpr const char* kRow = "{:<4} {:<44} {:>28} {:>28} {:>12}  {}\n";

void append_row(std::string& out, std::string_view first, const std::string& name,
                const job::Blocks& blocks, std::string_view last) {
    const job::RubricBlock& rubric = blocks.rubric;
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), first, printable(name),
                   with_interval(rubric.aggregate_score), with_interval(rubric.pass_rate),
                   number(rubric.latency_e2e_p95_ms.value), last);
}

void append_head(std::string& out, std::string_view first, std::string_view name,
                 std::string_view last) {
    fmt::format_to(std::back_inserter(out), fmt::runtime(kRow), first, name,
                   "aggregate score [95% CI]", "pass rate [95% CI]", "p95 ms", last);
}

std::string_view verdict(const RankedRun& ranked, const GroupRun& run) {
    if (ranked.run == 0) return run.gates.all_passed() ? "baseline, ready" : "baseline, not ready";
    const auto is_better = [](const MetricDifference& row) {
        return row.verdict == Finding::better;
    };
    switch (decision_of(ranked.differences)) {
        case Decision::worse:
            return "worse than the baseline";
        case Decision::cannot_tell:
            return "cannot tell";
        default:
            break;
    }
    return std::ranges::any_of(ranked.differences, is_better) ? "better than the baseline"
                                                              : "no significant difference";
}

void append_differences(std::string& out, const RankedRun& ranked, const GroupRun& run) {
    fmt::format_to(std::back_inserter(out), "\n{} against the baseline:\n", printable(run.run_id));
    out += "  " + text_head();
    for (const MetricDifference& metric : ranked.differences)
        out += "  " + text_line(metric);
    fmt::format_to(std::back_inserter(out), "  {}\n", sentence_of(ranked.differences));
}

// What stands behind a slice in the table: findings only, each with its figure.
std::string against_others(const job::SliceTest& test) {
    if (!test.reason.empty()) return "not tested: " + test.reason;
    std::string found;
    const auto add = [&found](const char* name, const job::SliceDifference& one) {
        if (!one.is_finding()) return;
        found += fmt::format("{}{} {:+.4g} (p {:.2g})", found.empty() ? "" : ", ", name,
                             *one.difference, *one.p_value_bh);
    };
    add("score", test.aggregate_score);
    add("pass rate", test.rubric_pass_rate);
    return found.empty() ? "may be chance" : found;
}

job::Blocks with_intervals_of_samples(job::Blocks blocks, const job::SliceTest& test) {
    blocks.rubric.aggregate_score.ci95 = test.aggregate_score_ci95;
    blocks.rubric.pass_rate.ci95 = test.rubric_pass_rate_ci95;
    return blocks;
}

// As its own report has them: those of the gates, for which repeats of a sample are not new
// samples.
job::Blocks with_intervals_of_gates(const GroupRun& run) {
    job::Blocks blocks = run.blocks;
    blocks.rubric.aggregate_score.ci95 = run.gates.aggregate_score.observed.ci95;
    blocks.rubric.pass_rate.ci95 = run.gates.pass_rate.observed.ci95;
    return blocks;
}

void append_slices(std::string& out, std::string_view what, const job::Summary::Slices& slices,
                   const job::SliceTests& tests) {
    if (slices.size() < 2) return;
    out += '\n';
    append_head(out, "", what, "against the other runs");
    for (const auto& [name, blocks] : slices) {
        const job::SliceTest& test = tests.at(name);
        append_row(out, "", name, with_intervals_of_samples(blocks, test), against_others(test));
    }
}

}  // namespace

std::string to_json(const GroupSummary& summary) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object();
    writer.member("evaluation_schema_version", job::kEvaluationSchemaVersion);
    writer.member("group_id", summary.group_id);
    writer.key("bootstrap").begin_object();
    writer.member("replicates", summary.bootstrap_replicates);
    writer.member("seed", summary.bootstrap_seed).end_object();
    writer.member("baseline", summary.runs.front().run_id);
    writer.member("comparable", summary.incomparable.empty());
    write_list(writer, "reasons", summary.incomparable,
               [&](const std::string& reason) { writer.value(reason); });
    write_list(writer, "ranking", summary.ranking, [&](const RankedRun& ranked) {
        write_ranked(writer, ranked, summary.runs[ranked.run]);
    });
    write_list(writer, "runs", summary.runs, [&](const GroupRun& run) { write_run(writer, run); });
    writer.key("slices").begin_object();
    write_slices(writer, "model", summary.models);
    write_slices(writer, "prompt_template_version", summary.prompt_templates);
    writer.end_object();
    writer.key("slice_tests").begin_object();
    writer.member("tests", summary.slice_tests);
    job::write_slice_tests(writer, "model", summary.model_tests);
    job::write_slice_tests(writer, "prompt_template_version", summary.prompt_template_tests);
    writer.end_object().end_object();
    return out + '\n';
}

std::string to_text(const GroupSummary& summary) {
    std::string out = fmt::format("Group {}: {} runs\n", printable(summary.group_id.value_or("-")),
                                  summary.runs.size());
    for (const std::string& reason : summary.incomparable)
        fmt::format_to(std::back_inserter(out), "NOT COMPARABLE: {}\n", printable(reason));
    out += '\n';
    append_head(out, "rank", "model, prompt", "verdict");
    for (const RankedRun& ranked : summary.ranking) {
        const GroupRun& run = summary.runs[ranked.run];
        append_row(out, std::to_string(ranked.rank), run.model + ", " + run.prompt_template,
                   with_intervals_of_gates(run), verdict(ranked, run));
    }
    for (const RankedRun& ranked : summary.ranking) {
        if (ranked.run != 0) append_differences(out, ranked, summary.runs[ranked.run]);
    }
    append_slices(out, "model", summary.models, summary.model_tests);
    append_slices(out, "prompt template version", summary.prompt_templates,
                  summary.prompt_template_tests);
    return out;
}

}  // namespace evalfleet::reduce
