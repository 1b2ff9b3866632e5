#include "coordinator/report/rows.hpp"

#include "common/json/writer.hpp"

namespace evalfleet::report {

namespace {

void write_figure(json::Writer& writer, const std::string& name, const job::Estimate& figure) {
    writer.member(name, figure.value);
    std::optional<double> lower;
    std::optional<double> upper;
    if (figure.ci95) {
        lower = figure.ci95->lower;
        upper = figure.ci95->upper;
    }
    writer.member(name + "_ci95_lower", lower).member(name + "_ci95_upper", upper);
}

std::string slice_row(const RowRun& run, std::string_view dimension, std::string_view value,
                      const job::Blocks& blocks) {
    const job::RubricBlock& rubric = blocks.rubric;
    const job::SpecBlock& spec = blocks.spec;
    std::string line;
    json::Writer writer(line);
    writer.begin_object()
        .member("run_id", run.run_id)
        .member("run_name", run.name)
        .member("model", run.model)
        .member("prompt_template", run.prompt)
        .member("dimension", dimension)
        .member("value", value)
        .member("trials", rubric.total_count)
        .member("passed", rubric.pass_count);
    write_figure(writer, "pass_rate", rubric.pass_rate);
    write_figure(writer, "aggregate_score", rubric.aggregate_score);
    write_figure(writer, "accuracy_mean", rubric.accuracy_mean);
    write_figure(writer, "faithfulness_mean", rubric.faithfulness_mean);
    write_figure(writer, "faithfulness_failure_rate", rubric.faithfulness_failure_rate);
    writer.member("latency_e2e_p50_ms", rubric.latency_e2e_p50_ms);
    write_figure(writer, "latency_e2e_p95_ms", rubric.latency_e2e_p95_ms);
    writer.member("spec_passed", spec.pass_count);
    write_figure(writer, "spec_pass_rate", spec.pass_rate);
    writer.member("input_tokens", rubric.tokens.input)
        .member("output_tokens", rubric.tokens.output)
        .end_object();
    return line + "\n";
}

}  // namespace

RowRun row_run_of(const job::RunMetadata& metadata) {
    return {metadata.run_id, metadata.name.value_or(""), metadata.model.id(),
            metadata.prompt_template.id + "@" + metadata.prompt_template.version};
}

std::string slice_rows(const job::Summary& summary, const RowRun& run) {
    std::string rows = slice_row(run, "all", "", summary.all);
    for (const auto& [value, blocks] : summary.task_types)
        rows += slice_row(run, "task_type", value, blocks);
    for (const auto& [key, slices] : summary.tags) {
        for (const auto& [value, blocks] : slices)
            rows += slice_row(run, "tag:" + key, value, blocks);
    }
    return rows;
}

}  // namespace evalfleet::report
