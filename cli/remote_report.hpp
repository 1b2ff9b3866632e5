#pragma once

#include "cli/commands/local.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/remote/session.hpp"
#include "common/result/result.hpp"

#include <string>

namespace evalfleet::cli {

/// Writes the report that a coordinator has of a run, as it comes; not as CSV. `not_found` if there
/// is no such run, `invalid` while it has no results.
[[nodiscard]] Status blocking_fetch_report(remote::Session& session, const std::string& run_id,
                                           ReportFormat format, Output& out);

/// `report` of a run at a coordinator; the run's exit code.
[[nodiscard]] Result<ExitCode> blocking_report_remote(const ReportOptions& options);

}  // namespace evalfleet::cli
