#pragma once

#include "cli/commands/local.hpp"
#include "common/config/command_line.hpp"

namespace evalfleet::cli {

/// `run`, `view`, `validate`, `report` and `simulate` on the command line: their flags, help and
/// actions. Must outlive the command line that it is added to.
class LocalCommands {
  public:
    void add_to(config::CommandLine& program);

  private:
    void add_run(config::CommandLine& program);
    void add_view(config::CommandLine& program);
    void add_validate(config::CommandLine& program);
    void add_report(config::CommandLine& program);
    void add_export(config::CommandLine& program);
    void add_simulate(config::CommandLine& program);
    void add_limits(config::Command& command);
    void add_faults(config::Command& command);

    RunOptions run_;
    ViewOptions view_;
    ValidateOptions validate_;
    ReportOptions report_;
    ExportOptions export_;
    SimulateOptions simulate_;
};

}  // namespace evalfleet::cli
