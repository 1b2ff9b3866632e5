#pragma once

#include "cli/commands/offline.hpp"
#include "common/config/command_line.hpp"

namespace evalfleet::cli {

/// The offline commands on the command line: their flags, help and actions. Must outlive the
/// command line that it is added to.
class OfflineCommands {
  public:
    void add_to(config::CommandLine& program);

  private:
    void add_derive(config::CommandLine& program);
    void add_reduce(config::CommandLine& program);
    void add_judge_parse(config::CommandLine& program);
    void add_render(config::CommandLine& program);
    void add_schema(config::CommandLine& program);
    void add_verify(config::CommandLine& program);
    void add_compare(config::CommandLine& program);

    DeriveOptions derive_;
    ReduceOptions reduce_;
    CaseOptions judge_parse_;
    CaseOptions render_;
    SchemaOptions schema_;
    VerifyOptions verify_;
    CompareOptions compare_;
};

}  // namespace evalfleet::cli
