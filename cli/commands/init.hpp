#pragma once

#include "cli/exit_code.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::cli {

/// A service that a first run file can be written for.
struct StarterService {
    std::string_view name;  ///< of the provider, and of its type
    std::string_view base_url;
    std::string_view key_variable;  ///< empty: it needs no key
    std::string_view model;
    std::string_view version;  ///< empty: the name pins it
    std::string_view judge;
    std::string_view judge_version;
};
[[nodiscard]] const std::vector<StarterService>& starter_services();

/// A file to begin with.
struct StarterFile {
    std::string name;
    std::string content;
};
/// A run file with comments, its dataset, and the same providers as an operator's file. Pure.
[[nodiscard]] std::vector<StarterFile> starter_files(const StarterService& service);

struct InitOptions {
    std::optional<std::filesystem::path> folder;  ///< `evaluation` if none is given
    std::string service = "openai";
};
/// Writes the files, and says how to run them. `invalid`, and nothing written, if one is there.
[[nodiscard]] Result<ExitCode> run_init(const InitOptions& options);

/// The command on the command line. Must outlive the command line that it is added to.
class InitCommand {
  public:
    void add_to(config::CommandLine& program);

  private:
    InitOptions options_;
};

}  // namespace evalfleet::cli
