#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::archive {

/// A file of a run that goes into the archive.
struct RunFile {
    std::string name;  ///< relative to the run's folder, with / between
    std::uint64_t bytes = 0;
    std::string sha256;  ///< in hex
};

/// What makes a run's folder up: the files in it, and those of `work/` without which its answers
/// cannot be judged anew or its samples shown. Not what the coordinator keeps for itself, what is
/// half-written, or hidden. The manifest is the last one: a copy that has it is whole. `invalid` if
/// the folder is not that of a run that is over, or if a file is not what the manifest says. Reads
/// them all, and so blocks.
[[nodiscard]] Result<std::vector<RunFile>> blocking_list_run_files(
    const std::filesystem::path& folder);

}  // namespace evalfleet::archive
