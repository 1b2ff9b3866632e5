#pragma once

#include "common/runfile/dataset.hpp"
#include "common/runfile/fault.hpp"
#include "common/scoring/manual_label.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evalfleet::runfile {

/// Which labels of a file a run can use, and what lacks one.
struct LabelCoverage {
    std::uint64_t samples = 0;
    std::uint64_t without_label = 0;  ///< samples of which at least one repeat has no label
    std::string first_without{};      ///< the id of the first of them
    std::uint64_t unused = 0;         ///< labels of no sample, or of a repeat that is not run
};

/// A file of manual labels: JSON Lines, a label a line; blank lines are skipped. Held in memory:
/// people wrote it. Immutable.
class LabelsFile {
  public:
    static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} * 1024 * 1024;
    static constexpr std::size_t kMaxLineBytes = 1024 * 1024;

    /// Reads and checks every line; a fault names file, line and field. A label of a sample (or of
    /// one repeat of it) that another line has given is a fault as well.
    [[nodiscard]] static boost::system::result<LabelsFile, FaultList> blocking_read(
        const std::filesystem::path& path);

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// Of the file's bytes, in hex.
    [[nodiscard]] const std::string& sha256() const noexcept { return sha256_; }
    /// All labels of a sample, by its id or by its id as records have it, redacted; empty if it has
    /// none.
    [[nodiscard]] std::span<const scoring::ManualLabel> of(const std::string& sample_id) const;

    /// Holds the labels against a data set that was validated. An error names the data set.
    [[nodiscard]] Result<LabelCoverage> blocking_cover(const Dataset& dataset,
                                                       std::int64_t repeats) const;

  private:
    friend class LabelsLoader;

    LabelsFile() = default;

    std::unordered_map<std::string, std::vector<scoring::ManualLabel>> labels_;
    std::size_t count_ = 0;
    std::string sha256_;
};

/// Reads a labels file and holds it against the data set of its run: at least one label must fit.
[[nodiscard]] boost::system::result<LabelCoverage, FaultList> blocking_check_labels(
    const std::filesystem::path& path, const Dataset& dataset, std::int64_t repeats);

/// Writes a data set whose samples carry their labels, for a run that is scored from them: what a
/// worker gets is then all in one line. Atomic: `out` appears whole.
[[nodiscard]] Status blocking_join_labels(const Dataset& dataset, const LabelsFile& labels,
                                          const std::filesystem::path& out);

}  // namespace evalfleet::runfile
