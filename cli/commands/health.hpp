#pragma once

#include "cli/exit_code.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::cli {

struct HealthOptions {
    std::string coordinator_url = "http://127.0.0.1:8080";
    std::optional<std::string> url;  ///< another one's, such as that of a worker's metrics
    bool live = false;               ///< whether it lives is enough
};

/// Asks a coordinator or worker how it is, and prints what it says. Not ready, or no answer:
/// `unfinished`.
[[nodiscard]] Result<ExitCode> run_health(const HealthOptions& options);

/// The command on the command line. Must outlive the command line that it is added to.
class HealthCommand {
  public:
    void add_to(config::CommandLine& program);

  private:
    HealthOptions options_;
};

}  // namespace evalfleet::cli
