#pragma once

#include "cli/exit_code.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::cli {

struct DoctorOptions {
    std::optional<std::string> run_file;   ///< whose providers are looked at
    std::optional<std::string> providers;  ///< or the operator's file
    std::string redis;                  ///< may hold a password: never shown; empty: a private one
    std::string pool = "main";          ///< whose node of a cluster it is
    std::filesystem::path store = ".";  ///< where results go
    bool call = false;  ///< let each model answer with one token, and the judge judge it
    bool simulate = false;
    bool json = false;
};

/// Looks at everything that a run needs and says of each what is the case and what to do about it:
/// programs, Redis, providers, disk. `unfinished` if something will not work. Makes calls that cost
/// something only with `call`.
[[nodiscard]] Result<ExitCode> run_doctor(const DoctorOptions& options);

/// The command on the command line. Must outlive the command line that it is added to.
class DoctorCommand {
  public:
    void add_to(config::CommandLine& program);

  private:
    DoctorOptions options_;
};

}  // namespace evalfleet::cli
