#pragma once

#include "common/result/result.hpp"
#include "common/runfile/fault.hpp"
#include "coordinator/datasets/dataset_entry.hpp"
#include "coordinator/datasets/dataset_upload.hpp"

#include <boost/system/result.hpp>

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::datasets {

/// The data sets that were uploaded to a coordinator, in its store:
///
///     <store>/datasets/content/<sha256>.jsonl   every content once, never changed
///     <store>/datasets/names/<id>.json          what was uploaded under an id, the oldest first
///     <store>/datasets/incoming/                uploads under way
///
/// Everything blocks and may be called from any thread. Files are looked at when the first call
/// comes, so that a coordinator that waits as a standby leaves them alone.
class DatasetLibrary {
  public:
    static constexpr std::size_t kMaxVersions = 500;  ///< of one id; the oldest are forgotten

    explicit DatasetLibrary(std::filesystem::path store);

    [[nodiscard]] Result<DatasetUpload> blocking_begin_upload();

    /// Who uploads what, and when.
    struct Label {
        std::string id;
        std::optional<std::string> version;
        std::optional<std::string> expected_hash;
        std::string at;
        std::string by;
    };
    struct Added {
        DatasetEntry entry;
        bool is_new = false;
    };
    /// Checks a finished upload line by line and takes it in. What is wrong with its lines, or with
    /// its hash (field `hash`), comes as faults. An `Error` inside the result: `denied` if the
    /// version exists with other content.
    [[nodiscard]] Result<boost::system::result<Added, runfile::FaultList>> blocking_add(
        DatasetUpload upload, const Label& label);

    /// The newest entry that fits. `not_found` says what is missing.
    [[nodiscard]] Result<DatasetEntry> blocking_find(const std::string& id,
                                                     const std::optional<std::string>& version,
                                                     const std::optional<std::string>& hash);

    /// The newest of each id behind `after`, by id, at most `limit`.
    [[nodiscard]] Result<std::vector<DatasetEntry>> blocking_list(std::string_view after,
                                                                  std::size_t limit);
    /// All of one id, the newest first; empty if there is none.
    [[nodiscard]] Result<std::vector<DatasetEntry>> blocking_versions(const std::string& id);

    [[nodiscard]] std::filesystem::path content(std::string_view hash) const;

  private:
    using Entries = std::vector<DatasetEntry>;

    [[nodiscard]] Status blocking_open();
    [[nodiscard]] Status blocking_read_names();
    [[nodiscard]] Status blocking_write_names(const std::string& id, const Entries& entries) const;
    [[nodiscard]] Status blocking_keep(const DatasetUpload& upload, std::string_view hash) const;
    [[nodiscard]] Result<Added> blocking_enter(DatasetEntry entry);

    std::filesystem::path folder_;
    std::mutex mutex_;  // guards what follows
    bool is_open_ = false;
    std::map<std::string, Entries, std::less<>> names_;  // the oldest first
};

}  // namespace evalfleet::datasets
