#pragma once

#include "cli/exit_code.hpp"
#include "cli/fleet/run_session.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <optional>
#include <string>

/// What all commands with a fleet of their own share.
namespace evalfleet::cli {

/// Where a fleet keeps what it needs, in the folder of the result.
inline constexpr const char* kFleetFolder = ".fleet";

/// How such a fleet is made up.
struct FleetChoice {
    std::size_t workers = 2;
    std::size_t concurrency = 64;
    std::string redis{};                          ///< empty: a private redis-server
    std::optional<std::string> keep_originals{};  ///< a key file, for the workers
    std::optional<std::string> traces{};          ///< where traces of trials go
    bool simulate = false;
    bool json = false;
    bool no_progress = false;
};

/// `NAME-2026-11-16T020000`: for a result that nobody gave a folder.
[[nodiscard]] std::string default_out(const std::string& name);

/// `invalid` unless the folder is new or empty.
[[nodiscard]] Status check_out_is_free(const std::filesystem::path& out);

/// Completes a session that knows its run, its providers and its folder. `invalid` if a key is not
/// set, before anything starts.
[[nodiscard]] Status blocking_equip(fleet::SessionConfig& config, const FleetChoice& choice);

/// Runs the session to its end.
[[nodiscard]] Result<fleet::SessionResult> blocking_await_session(
    const fleet::SessionConfig& config);

/// Runs the session to its end, prints what came of it, and says so by the exit code. `run_file`:
/// where what the coordinator refuses stands, if it is in a file.
[[nodiscard]] Result<ExitCode> blocking_run_session(const fleet::SessionConfig& config,
                                                    const FleetChoice& choice,
                                                    const std::optional<std::string>& run_file);

}  // namespace evalfleet::cli
