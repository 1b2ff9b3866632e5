#pragma once

#include "cli/commands/derive_local.hpp"
#include "cli/exit_code.hpp"
#include "cli/remote/connection.hpp"
#include "cli/run_notes.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The commands that talk to a coordinator. Each returns the program's exit code; an error says
/// what is wrong. With `json` they print what the coordinator answered, as it came.
namespace evalfleet::cli {

struct SubmitOptions {
    remote::ConnectionOptions connection;
    std::string run_file;
    std::optional<std::string> idempotency_key;
    RunNotes notes{};
    bool no_upload = false;  ///< the paths in the run file are the coordinator's
    bool wait = false;
    bool report = false;  ///< after waiting, print the report
    bool no_progress = false;
    bool json = false;
};
/// Checks a run file and its data set here, uploads the data set unless the coordinator has it, and
/// hands the run in. With `wait`: the run's exit code.
[[nodiscard]] Result<ExitCode> run_submit(const SubmitOptions& options);

struct ListOptions {
    remote::ConnectionOptions connection;
    std::string state;
    std::string name;
    std::string group;
    std::vector<std::string> labels;  ///< KEY=VALUE each
    std::string since;
    std::string until;
    std::size_t limit = 20;
    bool quiet = false;  ///< ids only
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_list(const ListOptions& options);

struct StatusOptions {
    remote::ConnectionOptions connection;
    std::string run_id;
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_status(const StatusOptions& options);

struct WatchOptions {
    remote::ConnectionOptions connection;
    std::string run_id;
    bool json = false;
};
/// Follows a run to its end; the run's exit code.
[[nodiscard]] Result<ExitCode> run_watch(const WatchOptions& options);

struct SteerOptions {
    remote::ConnectionOptions connection{};
    std::string what{};  ///< cancel, pause or resume
    std::string run_id{};
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_steer(const SteerOptions& options);

struct DeriveRunOptions {
    remote::ConnectionOptions connection;
    std::string run_id;
    std::optional<std::string> judge;  ///< PROVIDER/NAME@VERSION
    std::optional<std::string> profile;
    std::optional<std::string> rationale_limit;
    std::optional<std::string> policy;  ///< a file
    std::optional<std::string> labels;  ///< a file of scores that people gave
    std::optional<std::string> name;
    std::optional<std::string> idempotency_key;
    LocalDeriveOptions local{};  ///< for the folder of a run
    bool redacted = false;
    bool wait = false;
    bool json = false;
};
/// A new run from the answers of one that is over, at a coordinator or in a folder.
[[nodiscard]] Result<ExitCode> run_rejudge(const DeriveRunOptions& options);
/// A new run of the trials that failed for infrastructure reasons.
[[nodiscard]] Result<ExitCode> run_retry(const DeriveRunOptions& options);

struct BaselineOptions {
    remote::ConnectionOptions connection;
    std::string what;  ///< set, list or remove
    std::optional<std::string> name;
    std::optional<std::string> run_id;
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_baseline(const BaselineOptions& options);

struct FleetOptions {
    remote::ConnectionOptions connection;
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_workers(const FleetOptions& options);
[[nodiscard]] Result<ExitCode> run_queues(const FleetOptions& options);

}  // namespace evalfleet::cli
