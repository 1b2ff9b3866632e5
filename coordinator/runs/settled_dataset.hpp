#pragma once

#include "common/job/run_spec.hpp"
#include "common/result/result.hpp"
#include "common/runfile/dataset.hpp"

#include <filesystem>
#include <optional>

namespace evalfleet::runs {

/// The dataset of a run with its pictures embedded and the last turns of its chats settled: the
/// file as it is, or a file of our own that goes away with this object.
class SettledDataset {
  public:
    /// `folder`: where that file may stand. `invalid` tells what is wrong, with its line. Blocks.
    [[nodiscard]] static Result<SettledDataset> blocking_make(const job::RunSpec& spec,
                                                              const runfile::Dataset& source,
                                                              const std::filesystem::path& folder);

    ~SettledDataset();
    SettledDataset(SettledDataset&& other) noexcept;
    SettledDataset& operator=(SettledDataset&&) = delete;

    /// What the run's workers get of `source`.
    [[nodiscard]] const runfile::Dataset& dataset(const runfile::Dataset& source) const noexcept {
        return own_ ? *own_ : source;
    }

  private:
    SettledDataset() = default;

    std::optional<runfile::Dataset> own_;
};

}  // namespace evalfleet::runs
