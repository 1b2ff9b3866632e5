#pragma once

#include "common/job/sample.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace evalfleet::runfile {

/// Samples of a run as they may be shown, by their index.
using ShownSamples = std::map<std::int64_t, job::Sample>;

/// Some samples of the data set that a run's folder holds, redacted as records are. `sha256`: what
/// the file must have, else there are none; empty: anything. A sample that cannot be read is left
/// out: nothing depends on it. Blocks.
[[nodiscard]] ShownSamples blocking_read_shown_samples(const std::filesystem::path& dataset,
                                                       const std::string& sha256,
                                                       const std::set<std::int64_t>& indexes,
                                                       bool redacts_pii);

}  // namespace evalfleet::runfile
