#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::store {

/// The files of one run. What users read stands in the folder itself, what the coordinator needs
/// until the run is over in `work/`:
///
///     <store>/runs/<run id>/run.json, records.jsonl, summary.json, report.*, junit.xml,
///     manifest.json <store>/runs/<run id>/work/spec.json, dataset.jsonl, phase, trials.log
///
/// Everything blocks.
class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string run_id() const { return path_.filename().string(); }
    [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path spec() const { return path_ / "work" / "spec.json"; }
    [[nodiscard]] std::filesystem::path dataset() const { return path_ / "work" / "dataset.jsonl"; }
    [[nodiscard]] std::filesystem::path log() const { return path_ / "work" / "trials.log"; }

    /// Makes the folder of a new run with everything it needs, durably: after this the run goes on
    /// whatever dies. The data set is linked if it can be, else copied. A folder that was made in
    /// part is not seen as a run.
    [[nodiscard]] static Result<RunFolder> blocking_create(const std::filesystem::path& store,
                                                           std::string_view run_id,
                                                           std::string_view metadata_json,
                                                           std::string_view spec_json,
                                                           const std::filesystem::path& dataset);

    /// The phase's name, as it was written last.
    [[nodiscard]] Result<std::string> blocking_read_phase() const;
    [[nodiscard]] Status blocking_write_phase(std::string_view phase) const;

    /// The run is over: what only a running run needs is removed.
    [[nodiscard]] Status blocking_drop_work() const;

  private:
    std::filesystem::path path_;
};

/// All runs of a store, in the order of their ids.
[[nodiscard]] Result<std::vector<RunFolder>> blocking_list_runs(const std::filesystem::path& store);

}  // namespace evalfleet::store
