#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace evalfleet::files {

/// The name of a file while it is being written, before it gets the name `target`: hidden, and so
/// that it cannot be taken for a user's file: `.target.` with six drawn letters and `kPartSuffix`.
[[nodiscard]] std::string part_name(std::string_view target);
inline constexpr std::string_view kPartSuffix = ".evalfleet-part";

/// Whether a name is one that `part_name` makes, of this version or of those that had no suffix:
/// for them `target` must be a file of ours. Pure.
[[nodiscard]] bool is_part_name(std::string_view name);

/// Removes what killed processes left half-written in a folder, and nothing else: no folders, no
/// links, no names that are not ours. Only for folders in which nobody writes just now. Returns how
/// many there were; fine if there is no such folder. Blocks.
[[nodiscard]] Result<std::uint64_t> blocking_remove_parts(const std::filesystem::path& folder);

}  // namespace evalfleet::files
