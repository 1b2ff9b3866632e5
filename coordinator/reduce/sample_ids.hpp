#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace evalfleet::reduce {

/// The ids of the wanted samples, by their index, from a file of records. A table of rows does not
/// keep them: few of a million are ever asked for. Those without an id are left out. Reads only as
/// far as it must. Blocks.
[[nodiscard]] Result<std::unordered_map<std::uint32_t, std::string>> blocking_find_sample_ids(
    const std::filesystem::path& records, std::unordered_set<std::uint32_t> wanted);

}  // namespace evalfleet::reduce
