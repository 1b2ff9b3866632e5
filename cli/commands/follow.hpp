#pragma once

#include "cli/exit_code.hpp"
#include "cli/remote/progress.hpp"
#include "cli/remote/session.hpp"
#include "common/result/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::cli {

/// A run that was followed to its end.
struct FollowedRun {
    remote::RunProgress progress;
    std::string json;  ///< what the coordinator said last
};

/// How progress is shown while a run is followed.
enum class FollowStyle {
    silent,
    people,  ///< a live line on standard error
    json,    ///< each event as a line on standard output
};

/// Follows runs, one after the other, to their ends. Interrupted: says how to go on.
[[nodiscard]] Result<std::vector<FollowedRun>> blocking_follow(remote::Session& session,
                                                               std::span<const std::string> run_ids,
                                                               FollowStyle style);

/// `done` if it is release-ready, `failed` if not; `unfinished` if it did not get to its end, could
/// not be measured, or lacks nothing but that it can be told from its baseline. Pure.
[[nodiscard]] ExitCode exit_code_of(const remote::RunProgress& run) noexcept;

/// Of several runs: `unfinished` before `failed` before `done`. Says why, and what to do about it.
[[nodiscard]] ExitCode verdict_of(std::span<const FollowedRun> runs);

/// The verdict and the gates of a report: what stands before its second empty line. Pure.
[[nodiscard]] std::string_view head_of_report(std::string_view text);

/// For people, on standard error: verdict and gates of each run that has a report, its page and its
/// folder at the coordinator.
void blocking_print_verdicts(remote::Session& session, std::span<const FollowedRun> runs,
                             const std::string& coordinator_url);

/// For people: why a run came to nothing, and the command that mends it; empty if it did not. Pure.
[[nodiscard]] std::string describe_trouble(const remote::RunProgress& run);

/// {"run_ids": [...], "group_id": ...} as the coordinator answers a submission.
struct Submitted {
    std::vector<std::string> run_ids;
    std::string json;
};
[[nodiscard]] Result<Submitted> read_submitted(std::string json);

/// What comes after a submission: prints the ids, or with `wait` follows the runs.
struct AfterSubmission {
    bool wait = false;
    bool report = false;
    bool no_progress = false;
    bool json = false;
    std::string coordinator_url{};  ///< for the links to its pages
};
[[nodiscard]] Result<ExitCode> blocking_conclude(remote::Session& session,
                                                 const Submitted& submitted,
                                                 const AfterSubmission& after);

}  // namespace evalfleet::cli
