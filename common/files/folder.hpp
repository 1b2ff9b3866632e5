#pragma once

#include "common/result/result.hpp"

#include <filesystem>

namespace evalfleet::files {

/// Makes a folder and those above it that are missing, durably: what is put into it later is not
/// lost because its own name was. Fine if it is there. Blocks.
[[nodiscard]] Status blocking_make_folders(const std::filesystem::path& folder);

}  // namespace evalfleet::files
