#pragma once

#include "cli/commands/remote.hpp"
#include "cli/commands/token.hpp"
#include "common/config/command_line.hpp"

#include <string>

namespace evalfleet::cli {

/// The commands around a coordinator on the command line: their flags, help and actions. Must
/// outlive the command line that it is added to.
class RemoteCommands {
  public:
    void add_to(config::CommandLine& program);

  private:
    void add_submit(config::CommandLine& program);
    void add_list(config::CommandLine& program);
    void add_status(config::CommandLine& program);
    void add_watch(config::CommandLine& program);
    void add_steering(config::CommandLine& program);
    void add_rejudge(config::CommandLine& program);
    void add_retry(config::CommandLine& program);
    void add_baseline(config::CommandLine& program);
    void add_fleet(config::CommandLine& program);
    void add_token(config::CommandLine& program);
    void add_completion(config::CommandLine& program);

    SubmitOptions submit_;
    ListOptions list_;
    StatusOptions status_;
    WatchOptions watch_;
    SteerOptions cancel_{.what = "cancel"};
    SteerOptions pause_{.what = "pause"};
    SteerOptions resume_{.what = "resume"};
    DeriveRunOptions rejudge_;
    DeriveRunOptions retry_;
    BaselineOptions baseline_;
    FleetOptions workers_;
    FleetOptions queues_;
    TokenOptions token_;
    std::string shell_;
};

}  // namespace evalfleet::cli
