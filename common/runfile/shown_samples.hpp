#pragma once

#include "common/job/sample.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/dataset.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace evalfleet::runfile {

/// Samples of a run as they may be shown, by their index.
using ShownSamples = std::map<std::int64_t, job::Sample>;

/// The data set that a run's folder holds, its samples redacted as records are. Nothing depends on
/// it: without a data set, or with one that has another hash, there are no samples.
class ShownDataset {
  public:
    /// `sha256`: what the file must have; empty: anything. Blocks.
    [[nodiscard]] static ShownDataset blocking_open(const std::filesystem::path& dataset,
                                                    const std::string& sha256, bool redacts_pii);

    /// Null if it cannot be shown. Valid until another one is asked for. Blocks.
    [[nodiscard]] const job::Sample* blocking_sample(std::int64_t index);

  private:
    ShownDataset(std::optional<Dataset> dataset, bool redacts_pii)
        : dataset_(std::move(dataset)), redactor_({}, {.pii = redacts_pii}) {}

    std::optional<Dataset> dataset_;
    redaction::Redactor redactor_;
    std::int64_t last_index_ = -1;
    std::optional<job::Sample> last_;
};

/// Some samples of the data set that a run's folder holds, redacted as records are. `sha256`: what
/// the file must have, else there are none; empty: anything. A sample that cannot be read is left
/// out: nothing depends on it. Blocks.
[[nodiscard]] ShownSamples blocking_read_shown_samples(const std::filesystem::path& dataset,
                                                       const std::string& sha256,
                                                       const std::set<std::int64_t>& indexes,
                                                       bool redacts_pii);

}  // namespace evalfleet::runfile
