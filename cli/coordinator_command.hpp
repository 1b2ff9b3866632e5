#pragma once

#include "common/config/command_line.hpp"

#include <string>

namespace evalfleet::cli {

/// A command that talks to a coordinator: help lists those together.
inline config::Command& add_coordinator_command(config::CommandLine& program, const char* name,
                                                const char* help) {
    return program.subcommand(name, help).group("Commands that talk to a coordinator");
}

/// The run that it is about, as `remote::blocking_find_run` understands it.
inline void add_run_id(config::Command& command, std::string& run_id) {
    command.argument("ID", run_id, "the run's id, the beginning of it, @last or @last:NAME");
}

}  // namespace evalfleet::cli
