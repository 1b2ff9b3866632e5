#include "coordinator/report/report.hpp"

#include "cli/commands/local.hpp"
#include "cli/group_summary.hpp"
#include "cli/output.hpp"
#include "cli/record_file.hpp"
#include "cli/remote_report.hpp"
#include "cli/run_place.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/runfile/shown_samples.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "coordinator/reduce/run_files.hpp"
#include "coordinator/report/group_report.hpp"
#include "coordinator/report/rows.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>

namespace evalfleet::cli {

namespace {

using Path = std::filesystem::path;

Status write_csv(const Path& folder, const job::RunMetadata& metadata, Output& out) {
    if (Status written = out.write(report::csv_header()); !written) return written;
    const report::RowRun run = report::row_run_of(metadata);
    auto dataset = runfile::ShownDataset::blocking_open(
        folder / "work" / "dataset.jsonl", metadata.dataset_hash, metadata.redaction_pii);
    return blocking_for_each_record(
        folder / reduce::kRecordsFile, [&](const job::TrialRecord& record) {
            const job::Sample* sample = dataset.blocking_sample(record.sample_index);
            if (sample == nullptr) return out.write(report::csv_row(record, run));
            return out.write(
                report::csv_row(record, run, report::texts_of(metadata.prompt_template, *sample)));
        });
}

std::string render(const report::Report& report, const ReportOptions& options) {
    const bool on_terminal = !options.out && isatty(STDOUT_FILENO) == 1;
    switch (options.format) {
        case ReportFormat::json:
            return job::to_json(report.summary);
        case ReportFormat::markdown:
            return report::to_markdown(report);
        case ReportFormat::html:
            return report::to_html(report);
        case ReportFormat::junit:
            return report::to_junit(report);
        case ReportFormat::slices:
            return report::slice_rows(report.summary, report::row_run_of(report.metadata));
        case ReportFormat::text:
        case ReportFormat::parquet:  // is refused
        case ReportFormat::csv:      // is written from the records
            break;
    }
    return report::to_text(report, {.color = on_terminal});
}

Result<std::string> render_group(const reduce::GroupSummary& summary,
                                 const ReportOptions& options) {
    switch (options.format) {
        case ReportFormat::text:
            return reduce::to_text(summary);
        case ReportFormat::json:
            return reduce::to_json(summary);
        case ReportFormat::markdown:
            return report::to_markdown(summary);
        case ReportFormat::html:
            return report::to_html(summary);
        case ReportFormat::junit:
        case ReportFormat::csv:
        case ReportFormat::slices:
        case ReportFormat::parquet:
            break;
    }
    return Error{ErrorKind::invalid,
                 "--format: a group has reports as text, json, md and html; each of its runs "
                 "has the others in its own folder"};
}

Result<ExitCode> report_group(const ReportOptions& options) {
    const auto folders = blocking_find_runs(options.run);
    if (!folders) return folders.error();
    const auto summary = blocking_reduce_runs(*folders);
    if (!summary) return summary.error();
    const auto text = render_group(*summary, options);
    if (!text) return text.error();
    auto out = Output::open(options.out);
    if (!out) return out.error();
    if (Status written = out->write(*text); !written) return written.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return exit_code_of(*summary);
}

Result<ExitCode> blocking_write_report(const ReportOptions& options) {
    if (!means_folder(options.run)) return blocking_report_remote(options);
    if (is_group_folder(options.run)) return report_group(options);
    const Path folder = options.run;
    const Path records = folder / reduce::kRecordsFile;
    const auto metadata = reduce::blocking_read_metadata(folder);
    if (!metadata) return metadata.error();
    const auto summary =
        reduce::reduce_files(std::array{records}, metadata->policy, reduce::options_of(*metadata));
    if (!summary) return summary.error();
    report::Findings findings;
    report::Report report{*metadata, *summary, findings,
                          job::blocking_read_baseline_verdict(folder, *metadata)};
    auto out = Output::open(options.out);
    if (!out) return out.error();
    if (options.byte_order_mark) {
        if (Status written = out->write(report::kByteOrderMark); !written) return written.error();
    }
    if (options.format == ReportFormat::csv) {
        if (Status written = write_csv(folder, *metadata, *out); !written) return written.error();
    } else {
        const Status read =
            blocking_for_each_record(records, [&](const job::TrialRecord& record) -> Status {
                findings.add(record);
                return {};
            });
        if (!read) return read.error();
        report.samples = runfile::blocking_read_shown_samples(
            folder / "work" / "dataset.jsonl", metadata->dataset_hash, findings.example_samples(),
            metadata->redaction_pii);
        if (Status written = out->write(render(report, options)); !written) return written.error();
    }
    if (Status finished = out->finish(); !finished) return finished.error();
    if (!report::is_measured(report)) return ExitCode::unfinished;
    if (report::is_undecided(report)) return ExitCode::unfinished;
    return report::is_ready(report) ? ExitCode::done : ExitCode::failed;
}

}  // namespace

Result<ExitCode> run_report(const ReportOptions& options) {
    if (options.format == ReportFormat::parquet) {
        return Error{ErrorKind::invalid,
                     "--format parquet: is not written here, but any tool that reads JSON Lines or "
                     "CSV makes it, with the types of evalfleet schema --duckdb: (evalfleet schema "
                     "--duckdb; echo \"COPY records FROM '" +
                         options.run +
                         "/records.jsonl' (FORMAT json); COPY records TO 'records.parquet' "
                         "(FORMAT parquet);\") | duckdb; see docs/data.md"};
    }
    if (options.byte_order_mark && options.format != ReportFormat::csv)
        return Error{ErrorKind::invalid, "--bom: only with --format csv"};
    const auto verdict = blocking_write_report(options);
    if (!verdict || !options.out || options.exit_verdict) return verdict;
    return ExitCode::done;
}

}  // namespace evalfleet::cli
