#pragma once

#include "cli/exit_code.hpp"
#include "cli/fleet/run_session.hpp"
#include "common/result/result.hpp"

#include <filesystem>

namespace evalfleet::cli {

/// Prints what came of a session whose results are in `out`: reports, for several runs their
/// ranking, and how to go on with what did not end. With `json` one JSON text instead. The worst
/// run's exit code.
[[nodiscard]] Result<ExitCode> blocking_tell(const std::filesystem::path& out,
                                             const fleet::SessionResult& result, bool json);

}  // namespace evalfleet::cli
