#pragma once

#include "cli/exit_code.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::cli {

struct FunctionsOptions {
    std::optional<std::string> what{};  ///< check, load or print; none: check
    std::string redis;                  ///< may hold a password: never shown
    std::string pool = "main";          ///< whose node of a cluster it is
};

/// The queue's function library in Redis, for those whose fleets may not load it themselves
/// (docs/operations.md). `load`: loads it unless Redis has it or a newer one. `check`: exit code 1
/// if Redis has none, or another. `print`: the library as it is.
[[nodiscard]] Result<ExitCode> run_functions(const FunctionsOptions& options);

/// The command on the command line. Must outlive the command line that it is added to.
class FunctionsCommand {
  public:
    void add_to(config::CommandLine& program);

  private:
    FunctionsOptions options_;
};

}  // namespace evalfleet::cli
