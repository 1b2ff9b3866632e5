#pragma once

#include "common/config/command_line.hpp"

#include <string>

namespace evalfleet::cli {

enum class Shell { bash, zsh, fish };

/// A script that completes the words of a program in a shell: commands, flags, words out of a few,
/// files, and the ids of runs, which it asks the coordinator for. Made from the same table that
/// parses the command line, so that it knows exactly what that takes. Pure.
[[nodiscard]] std::string completion_script(const config::Command& program, Shell shell);

}  // namespace evalfleet::cli
