#pragma once

#include "common/result/result.hpp"

#include <filesystem>

namespace evalfleet::files {

/// Makes `to`, which must not be there, a copy of `from` as it is now, on the disk and readable
/// only: whatever is done to `from` later does not reach it. Shares the blocks where the file
/// system can (a reflink). What `from` was changed to while it was copied is the caller's to find
/// out. Blocks.
[[nodiscard]] Status blocking_copy_file(const std::filesystem::path& from,
                                        const std::filesystem::path& to);

}  // namespace evalfleet::files
