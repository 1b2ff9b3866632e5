#pragma once

#include "cli/exit_code.hpp"
#include "cli/remote/connection.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>
#include <vector>

/// What a coordinator keeps: trials of runs, datasets, groups; and how to remove a run. With `json`
/// the commands print what the coordinator answered, as it came.
namespace evalfleet::cli {

struct RecordsOptions {
    remote::ConnectionOptions connection;
    std::string run;
    std::vector<std::string> where;  ///< KEY=VALUE, all must fit
    std::optional<std::string> sort;
    std::size_t limit = 20;
    bool json = false;
};
/// The trials of a run that fit.
[[nodiscard]] Result<ExitCode> run_records(const RecordsOptions& options);

struct ShowOptions {
    remote::ConnectionOptions connection;
    std::string run;     ///< at a coordinator, or a folder
    std::string sample;  ///< its id, or its index
    bool json = false;
};
/// One sample of a run with its question, answers, scores and reasons.
[[nodiscard]] Result<ExitCode> run_show(const ShowOptions& options);

struct DeleteOptions {
    remote::ConnectionOptions connection;
    std::string run;
    bool yes = false;  ///< without a question
};
/// Removes a run that is over.
[[nodiscard]] Result<ExitCode> run_delete(const DeleteOptions& options);

struct CatalogOptions {
    remote::ConnectionOptions connection;
    std::optional<std::string> id;  ///< only this one, with its parts
    bool json = false;
};
[[nodiscard]] Result<ExitCode> run_datasets(const CatalogOptions& options);
[[nodiscard]] Result<ExitCode> run_groups(const CatalogOptions& options);

/// Those commands on the command line. Must outlive the command line that it is added to.
class CatalogCommands {
  public:
    void add_to(config::CommandLine& program);

  private:
    void add_records(config::CommandLine& program);
    void add_show(config::CommandLine& program);
    void add_delete(config::CommandLine& program);
    void add_lists(config::CommandLine& program);

    RecordsOptions records_;
    ShowOptions show_;
    DeleteOptions delete_;
    CatalogOptions datasets_;
    CatalogOptions groups_;
};

}  // namespace evalfleet::cli
