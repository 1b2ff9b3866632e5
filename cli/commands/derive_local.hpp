#pragma once

#include "cli/exit_code.hpp"
#include "common/config/command_line.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace evalfleet::cli {

/// What it takes to make a run out of one in a folder, with a fleet of its own.
struct LocalDeriveOptions {
    std::optional<std::string> out;
    std::optional<std::string> providers;       ///< a file with a `providers` block
    std::optional<std::string> baseline;        ///< the folder of the run's baseline
    std::optional<std::string> keep_originals;  ///< a key file
    std::size_t workers = 2;
    bool simulate = false;

    void add_to(config::Command& command);

    /// The flag that was given, if one was; `--workers` counts for nothing alone.
    [[nodiscard]] std::optional<std::string> given() const;
};

/// `how`: retry or rejudge, with the `body` that the coordinator's API takes. Answers of the run in
/// `folder` become another run in another folder; its own stays as it is. The new run's exit code.
[[nodiscard]] Result<ExitCode> blocking_derive_local(const std::string& folder,
                                                     const std::string& how, std::string body,
                                                     const LocalDeriveOptions& options, bool json);

}  // namespace evalfleet::cli
