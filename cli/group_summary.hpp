#pragma once

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

/// Reduces the runs in `folders`, in the order of their submission, and writes `group.json` beside
/// them, into `out`. A run that stands for one that could not be measured has left its group; here
/// it is in it again. Blocks, for seconds on large runs.
[[nodiscard]] Result<GroupResult> blocking_write_group(
    const std::filesystem::path& out, const std::vector<std::filesystem::path>& folders);

/// For `--json`: the group's id, its file and its ranking; null if there is no group.
void write(json::Writer& writer, const GroupResult* group);

}  // namespace evalfleet::cli
