#pragma once

#include "common/job/run_spec.hpp"
#include "common/result/result.hpp"
#include "common/runfile/dataset.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::runs {

/// The lines that a run's workers get: the data set as it is or, for a run that people score, with
/// the labels of each sample beside it, in a file that goes away with this object.
class JoinedDataset {
  public:
    /// `folder`: where that file may stand; a run's own folder links it if both are on one disk.
    /// `invalid` with a line for each fault of the labels file. Blocks.
    [[nodiscard]] static Result<JoinedDataset> blocking_make(const job::RunSpec& spec,
                                                             const runfile::Dataset& dataset,
                                                             const std::filesystem::path& folder);

    ~JoinedDataset();
    JoinedDataset(JoinedDataset&& other) noexcept;
    JoinedDataset& operator=(JoinedDataset&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// sha256 of the labels file, in hex; none for a run with a judge.
    [[nodiscard]] const std::optional<std::string>& labels_hash() const noexcept {
        return labels_hash_;
    }

  private:
    JoinedDataset(std::filesystem::path path, std::optional<std::string> labels_hash)
        : path_(std::move(path)), labels_hash_(std::move(labels_hash)) {}

    std::filesystem::path path_;
    std::optional<std::string> labels_hash_;  ///< has one: the file is ours
};

}  // namespace evalfleet::runs
