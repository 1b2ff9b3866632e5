#pragma once

#include "cli/exit_code.hpp"
#include "cli/remote/connection.hpp"
#include "cli/run_notes.hpp"
#include "cli/simulator/config.hpp"
#include "common/result/result.hpp"
#include "common/runfile/run_bounds.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The commands around a run: before it, after it, and the provider to try it with. Each returns
/// the program's exit code; an error says what is wrong.
namespace evalfleet::cli {

struct RunOptions {
    std::optional<std::string> run_file;
    std::optional<std::string> out;
    std::optional<std::string> resume;  ///< the folder of an interrupted run
    std::size_t workers = 2;
    std::size_t concurrency = 64;
    std::string redis;                           ///< empty: a private redis-server
    std::optional<std::string> keep_originals;   ///< a key file, for the workers
    std::optional<std::string> traces;           ///< where traces of trials go
    std::string environment;                     ///< region=R,deployment=D, for the metadata
    std::optional<std::string> coordinator_url;  ///< use this coordinator, and start nothing
    remote::ConnectionOptions connection;        ///< how, besides its address
    RunNotes notes;
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;
    bool simulate = false;
    bool json = false;
    bool no_progress = false;
};
/// The main job: a fleet of its own, one run (or one for each model and prompt), the report.
[[nodiscard]] Result<ExitCode> run_run(const RunOptions& options);

struct ValidateOptions {
    std::string run_file;
    std::optional<std::string> providers;  ///< the operator's file, for a run file without its own
    bool json = false;
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;  ///< as the coordinator has it
    bool simulate = false;                                  ///< as `run --simulate`: without keys
};
/// Checks a run file, its providers and its dataset. Prints every error to standard error, or a
/// short summary of what the run would do; with `json` either goes to standard output.
[[nodiscard]] Result<ExitCode> run_validate(const ValidateOptions& options);

enum class ReportFormat { text, json, markdown, html, junit, csv, slices, parquet };

struct ReportOptions {
    std::string run;  ///< the folder of a run or a group, or the id of a run at a coordinator
    remote::ConnectionOptions connection;
    ReportFormat format = ReportFormat::text;
    std::optional<std::string> out;
    bool byte_order_mark = false;  ///< before CSV, for spreadsheets
    bool exit_verdict = false;     ///< the verdict's exit code also where a file was written
};
/// Writes the report of a run: of a folder from its records, else as the coordinator has it.
/// `failed` unless release-ready; `done` if it was written to a file. Of a group's folder: its
/// ranking and slices, computed from its runs, and the exit code of `reduce --group`.
[[nodiscard]] Result<ExitCode> run_report(const ReportOptions& options);

struct ExportOptions {
    std::string run;  ///< the folder of a run or a group, or the id of a run at a coordinator
    std::string to;   ///< s3://bucket/prefix or a folder
    std::string s3_endpoint;
    std::string s3_region;
    remote::ConnectionOptions connection;
    bool read_back = false;  ///< everything is read again from there
    bool json = false;
};
/// Puts a run that is over into a bucket or a folder, whole: what is there already stays, what was
/// interrupted goes on.
[[nodiscard]] Result<ExitCode> run_export(const ExportOptions& options);

struct ViewOptions {
    std::vector<std::filesystem::path> folders;  ///< of runs, of groups, or stores
    std::uint16_t port = 0;                      ///< 0: any free one
};
/// Serves pages about runs in folders until SIGINT or SIGTERM. Returns only if it cannot.
[[nodiscard]] Result<ExitCode> run_view(const ViewOptions& options);

struct SimulateOptions {
    simulator::SimulatorConfig simulator;
    simulator::ServiceConfig service;
    double latency_ms = 0;
};
/// Serves as a simulated model provider until SIGINT or SIGTERM.
[[nodiscard]] Result<ExitCode> run_simulate(const SimulateOptions& options);

}  // namespace evalfleet::cli
