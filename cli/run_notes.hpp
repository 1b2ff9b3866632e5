#pragma once

#include "common/config/command_line.hpp"
#include "common/job/run_spec.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::cli {

/// What a command line notes of a run besides its file.
struct RunNotes {
    std::vector<std::string> labels;  ///< KEY=VALUE each
    std::optional<std::string> description;

    /// `--label` and `--description`.
    void add_to(config::Command& command);

    [[nodiscard]] bool empty() const noexcept { return labels.empty() && !description; }

    /// Enters them in a run file's content, where they win. The error names the flag.
    [[nodiscard]] Status enter(job::RunSpec& spec) const;
};

}  // namespace evalfleet::cli
