#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// Every file of a store that should not be there, one sentence each: half-written ones, folders of
/// runs that are neither, and in the folder of a run that is over whatever its manifest does not
/// name and nobody needs any more.
[[nodiscard]] std::vector<std::string> find_leftovers(const std::filesystem::path& store);

}  // namespace evalfleet::testing
