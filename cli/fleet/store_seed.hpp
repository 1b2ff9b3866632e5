#pragma once

#include "common/job/run_metadata.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::fleet {

/// A run that is over, in a folder of this machine.
struct SeedRun {
    std::filesystem::path folder;
    std::string run_id;
    std::string baseline_name;  ///< its own name if that can name a baseline, else `baseline`
    job::RunMetadata metadata{};
};

/// What a coordinator's store begins with: runs that others are made from, or are compared with.
struct StoreSeed {
    std::vector<SeedRun> runs;
    std::map<std::string, std::string, std::less<>> baselines;  ///< ids of runs by their names
};

/// `invalid` unless the folder holds a run that is over. Blocks.
[[nodiscard]] Result<SeedRun> blocking_read_seed(const std::filesystem::path& folder);

/// Copies the runs into a store that no coordinator has opened yet. Blocks, for as long as copying
/// their records takes.
[[nodiscard]] Status blocking_plant(const StoreSeed& seed, const std::filesystem::path& store);

}  // namespace evalfleet::fleet
