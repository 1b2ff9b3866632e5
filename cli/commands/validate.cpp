#include "cli/checked_run.hpp"
#include "cli/commands/local.hpp"
#include "cli/output.hpp"
#include "cli/report_error.hpp"
#include "cli/run_preview.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/context_check.hpp"

namespace evalfleet::cli {

namespace {

using runfile::Fault;
using runfile::FaultList;

std::string faults_json(const FaultList& faults) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().member("valid", false).key("errors").begin_array();
    for (const Fault& fault : faults.kept()) {
        writer.begin_object().member("file", fault.file).member("line", fault.line);
        writer.member("column", fault.column).member("field", fault.field);
        writer.member("message", fault.message).end_object();
    }
    writer.end_array().member("error_count", faults.total()).end_object();
    return out + '\n';
}

Result<ExitCode> refuse(const FaultList& faults, const ValidateOptions& options) {
    if (options.json) {
        if (Status printed = print(faults_json(faults)); !printed) return printed.error();
    } else {
        report_error(faults.status().error());
    }
    return ExitCode::wrong_input;
}

}  // namespace

Result<ExitCode> run_validate(const ValidateOptions& options) {
    const auto run =
        blocking_check_run(options.run_file, {.providers = runfile::ProvidersFrom::either,
                                              .operators = options.providers,
                                              .needs_keys = !options.simulate,
                                              .max_trials = options.max_trials});
    if (!run) return refuse(run.error(), options);
    RunPreview preview = make_preview(run->file, run->dataset, run->labels);
    if (run->dataset) {
        for (std::string& warning :
             runfile::blocking_context_warnings(run->file, *run->dataset, run->file.providers))
            preview.warnings.push_back(std::move(warning));
    }
    const std::string text = options.json ? to_json(preview) : to_text(preview);
    if (Status printed = print(text); !printed) return printed.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
