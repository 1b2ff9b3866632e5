#pragma once

#include "common/result/result.hpp"
#include "coordinator/catalog/run_facts.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace evalfleet::catalog {

/// All runs of a store, running or over, some hundred bytes each: what lists are made of. The
/// folders of the runs are the truth; this follows them. A look costs one call to the file system
/// when nothing came or went, and a read of each run that is not over.
///
/// Everything blocks and may be called from any thread.
class RunCatalog {
  public:
    using Runs = std::map<std::string, std::shared_ptr<const RunFacts>, std::greater<>>;

    explicit RunCatalog(std::filesystem::path store);

    /// The runs as they are now, the newest (by id) first. What is returned does not change.
    [[nodiscard]] Result<std::shared_ptr<const Runs>> blocking_look();

    /// What is known of a run already, without looking; null: nothing. Does not block.
    [[nodiscard]] std::shared_ptr<const RunFacts> known(const std::string& run_id) const;

    /// One run, with its outcome if it is over; nothing if there is none of that id.
    [[nodiscard]] std::optional<RunFacts> blocking_find(const std::string& run_id);

    /// Writes down who handed a run in; it is no worse a run if that fails.
    void blocking_note_submitter(const std::string& run_id, const std::string& name);

    /// The folder a run has, or would have.
    [[nodiscard]] store::RunFolder folder(const std::string& run_id) const;

  private:
    [[nodiscard]] std::shared_ptr<const Runs> snapshot() const;
    void remember(const RunFacts& facts);
    [[nodiscard]] Status blocking_scan();
    void blocking_update();

    std::filesystem::path store_;
    std::mutex look_mutex_;  // one looks at a time
    std::filesystem::file_time_type scanned_{};
    mutable std::mutex mutex_;  // guards what follows; never held while files are read
    std::shared_ptr<const Runs> runs_ = std::make_shared<Runs>();
    std::map<std::string, RunOutcome> outcomes_;  // of runs that were asked for
};

}  // namespace evalfleet::catalog
