#pragma once

#include <filesystem>

namespace evalfleet::store {

/// Whether another machine may have this folder mounted too, so that a lock taken here may mean
/// nothing there: true of every file system that is not known to be of one machine. Blocks.
[[nodiscard]] bool blocking_may_be_shared(const std::filesystem::path& folder);

}  // namespace evalfleet::store
