#pragma once

#include "common/job/run_metadata.hpp"
#include "common/result/result.hpp"

#include <filesystem>

namespace evalfleet::reduce {

inline constexpr const char* kMetadataFile = "run.json";
inline constexpr const char* kRecordsFile = "records.jsonl";

/// The metadata in a run's folder. Errors name the file. Blocks.
[[nodiscard]] Result<job::RunMetadata> blocking_read_metadata(const std::filesystem::path& folder);

}  // namespace evalfleet::reduce
