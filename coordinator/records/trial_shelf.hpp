#pragma once

#include "common/runfile/dataset.hpp"
#include "coordinator/records/trial_table.hpp"
#include "coordinator/store/run_folder.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>

namespace evalfleet::records {

/// What is read of a run to list its trials and show its samples.
struct RunTrials {
    std::shared_mutex mutex;  ///< guards what follows; many may look, one brings up to date
    std::optional<TrialTable> table;
    std::filesystem::file_time_type changed{};  ///< of the records that were loaded
    bool has_looked_for_dataset = false;
    std::optional<runfile::Dataset> dataset;
    std::string dataset_trouble;        ///< why there is none, for people
    std::atomic<bool> is_ready{false};  ///< table and data set were looked at once
};

/// Where the table of a run that is over is kept.
[[nodiscard]] std::filesystem::path table_file_of(const store::RunFolder& folder);

/// Keeps the tables of the runs that people look at, so that a page is a look at memory: the ones
/// used last, in bounded memory. Several who ask for one run load it once, and
/// look at the same time. Tables of runs that are over are kept beside them (TrialTableFile).
///
/// Everything blocks and may be called from any thread.
class TrialShelf {
  public:
    struct Config {
        std::uint64_t max_bytes = std::uint64_t{256} * 1024 * 1024;
    };

    /// A run's trials, which stay as they are as long as this lives; others may look as well.
    class Hold {
      public:
        [[nodiscard]] const TrialTable& table() const { return *trials_->table; }
        /// The run's data set, if it is there and has the hash.
        [[nodiscard]] const runfile::Dataset* dataset() const {
            return trials_->dataset ? &*trials_->dataset : nullptr;
        }
        [[nodiscard]] const std::string& dataset_trouble() const {
            return trials_->dataset_trouble;
        }

      private:
        friend class TrialShelf;
        explicit Hold(std::shared_ptr<RunTrials> trials)
            : trials_(std::move(trials)), lock_(trials_->mutex) {}

        std::shared_ptr<RunTrials> trials_;
        std::shared_lock<std::shared_mutex> lock_;
    };

    explicit TrialShelf(Config config) : config_(config) {}

    struct Run {
        store::RunFolder folder;
        std::string dataset_hash;
        bool has_results = false;  ///< else its log is followed
    };

    /// The trials of a run as they are now. A run that has none yet has an empty table.
    [[nodiscard]] Result<Hold> blocking_take(const Run& run, const std::stop_token& stop = {});

    /// Whether they are in memory already, or are being read.
    [[nodiscard]] bool has(const Run& run) const;

    /// Whether they are in memory, so that taking them is a matter of moments.
    [[nodiscard]] bool is_ready(const Run& run) const;

    /// How much memory is taken, about.
    [[nodiscard]] std::uint64_t memory_bytes() const;

  private:
    struct Place {
        std::string key;
        std::shared_ptr<RunTrials> trials;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] std::shared_ptr<RunTrials> find(const std::string& key);
    void note_size(const std::string& key, std::uint64_t bytes);

    Config config_;
    mutable std::mutex mutex_;  // guards what follows; never held while files are read
    std::list<Place> places_;   // the one used last in front
};

}  // namespace evalfleet::records
