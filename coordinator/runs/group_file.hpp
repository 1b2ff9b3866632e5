#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// Writes the summary of a group, `group.json`, if all of its runs are done; does nothing
/// otherwise. Blocks, for seconds on large runs.
[[nodiscard]] Status blocking_write_group(const std::filesystem::path& store,
                                          const std::vector<std::string>& run_ids,
                                          const std::filesystem::path& file);

}  // namespace evalfleet::runs
