#pragma once

#include "common/job/trial_record.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <functional>

namespace evalfleet::cli {

using TakeRecord = std::function<Status(job::TrialRecord)>;

/// Hands over the records of a JSON-lines file, one after the other; ends with the first error,
/// which names file and line, or with that of `take`. Blocks.
[[nodiscard]] Status blocking_for_each_record(const std::filesystem::path& file,
                                              const TakeRecord& take);

}  // namespace evalfleet::cli
