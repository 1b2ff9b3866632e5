#pragma once

#include "cli/commands/local.hpp"
#include "cli/output.hpp"
#include "cli/remote/session.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::cli {

/// What a coordinator says of a group (`GET /groups/ID`); nothing if it has none of that id.
/// Blocks.
[[nodiscard]] Result<std::optional<std::string>> blocking_find_group(remote::Session& session,
                                                                     const std::string& id);

/// Writes the report of a group. `invalid` for a format that groups have not. Blocks.
[[nodiscard]] Status blocking_fetch_group_report(remote::Session& session, const std::string& id,
                                                 ReportFormat format, Output& out);

/// The exit code that `group`, as the coordinator says it, stands for: its runs against the first.
[[nodiscard]] Result<ExitCode> verdict_of_group(const std::string& group);

}  // namespace evalfleet::cli
