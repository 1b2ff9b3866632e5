#pragma once

#include "common/result/result.hpp"
#include "coordinator/catalog/run_catalog.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::exports {

/// A run that is over and is not in the archive yet, or not as it is now.
struct Due {
    std::string run_id;
    std::filesystem::path folder;
    std::chrono::system_clock::time_point since;  ///< that it has been over
};

/// Finds what is to be exported, in the folders of the runs: they are the truth, so that nothing is
/// missed whoever died. What was exported, and where to, stands in the run's `work/exported`; a run
/// that is resumed after that and ends again is due once more.
///
/// Blocks; one thread at a time.
class ExportWatch {
  public:
    /// `target`: as people write it. Another one makes all runs due.
    ExportWatch(std::filesystem::path store, std::string target);

    /// The oldest first.
    [[nodiscard]] Result<std::vector<Due>> blocking_look();

    /// Writes down that a run is there. Fine if it was removed meanwhile.
    [[nodiscard]] Status blocking_mark(const Due& run);

  private:
    [[nodiscard]] std::string mark_of(std::chrono::system_clock::time_point since) const;

    catalog::RunCatalog catalog_;
    std::string target_;
    std::map<std::string, std::string> marks_;  // that are known to be written, by run
};

}  // namespace evalfleet::exports
