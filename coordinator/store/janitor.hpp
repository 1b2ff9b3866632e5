#pragma once

#include "common/result/result.hpp"

#include <filesystem>

namespace evalfleet::store {

/// Removes what killed processes left half-written in a store, the folders of runs and data sets
/// aside. Only before anybody writes in it. Blocks.
[[nodiscard]] Status blocking_tidy_store(const std::filesystem::path& store);

}  // namespace evalfleet::store
