#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::datasets {

/// Finds the file that a submitter names by a path, within the folders that the operator opened for
/// that. A path is relative to one of them, or absolute within one; links are followed, and must
/// not lead out. Whatever is outside looks as if it were not there. Blocks.
/// `invalid`: it is not to be had; the message does not tell whether it exists.
[[nodiscard]] Result<std::filesystem::path> blocking_find_under(
    const std::vector<std::filesystem::path>& roots, const std::string& path);

}  // namespace evalfleet::datasets
