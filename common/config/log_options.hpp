#pragma once

#include "common/config/command_line.hpp"
#include "common/log/level.hpp"

namespace evalfleet::config {

/// What every program can be told about its log.
struct LogOptions {
    log::Level level = log::Level::info;
    log::Format format = log::default_format();

    /// Adds `--log-level` and `--log-format`.
    void add_to(Command& command);
};

}  // namespace evalfleet::config
