#pragma once

#include "common/result/error.hpp"

namespace evalfleet::files {

/// Whether an error of files or of std::filesystem says that there is no room: the disk is full,
/// the quota used up, or the file as large as files may be.
[[nodiscard]] bool tells_of_full_disk(const Error& error);

}  // namespace evalfleet::files
