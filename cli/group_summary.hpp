#pragma once

#include "cli/exit_code.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"
#include "coordinator/reduce/group_reducer.hpp"

#include <filesystem>
#include <vector>

namespace evalfleet::cli {

/// The summary of a group's runs and where it was written.
struct GroupResult {
    reduce::GroupSummary summary;
    std::filesystem::path file;
};

inline constexpr const char* kGroupFile = "group.json";

/// True for a folder with a `group.json` that is not a run's own.
[[nodiscard]] bool is_group_folder(const std::filesystem::path& folder);

/// The folders of the runs that the `group.json` in `folder` names, in its order: beside it, or in
/// the store that it lies in. `not_found` names the run whose folder is in neither place.
[[nodiscard]] Result<std::vector<std::filesystem::path>> blocking_find_runs(
    const std::filesystem::path& folder);

/// Reduces the runs in `folders` together, in this order. A run that stands for one that could not
/// be measured has left its group; here it is in it again. Blocks, for seconds on large runs.
[[nodiscard]] Result<reduce::GroupSummary> blocking_reduce_runs(
    const std::vector<std::filesystem::path>& folders);

/// That of the run that compares worst with the baseline: worse, then one of which that cannot be
/// told.
[[nodiscard]] ExitCode exit_code_of(const reduce::GroupSummary& summary);

/// Reduces the runs in `folders`, in the order of their submission, and writes `group.json` beside
/// them, into `out`. Blocks, as reducing does.
[[nodiscard]] Result<GroupResult> blocking_write_group(
    const std::filesystem::path& out, const std::vector<std::filesystem::path>& folders);

/// For `--json`: the group's id, its file and its ranking; null if there is no group.
void write(json::Writer& writer, const GroupResult* group);

}  // namespace evalfleet::cli
