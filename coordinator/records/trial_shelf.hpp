#pragma once

#include "common/runfile/dataset.hpp"
#include "coordinator/records/trial_table.hpp"
#include "coordinator/store/run_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

namespace evalfleet::records {

/// What is read of a run to list its trials and show its samples.
struct RunTrials {
    std::mutex mutex;  ///< guards all of it; held while it is read
    std::optional<TrialTable> table;
    std::optional<runfile::Dataset> dataset;
    bool has_looked_for_dataset = false;
    std::string dataset_trouble;                ///< why there is none, for people
    std::filesystem::file_time_type changed{};  ///< of the records that were loaded
};

/// Keeps the tables of the runs that people look at, so that a page is a look at memory: the ones
/// used last, in bounded memory. Several who ask for one run load it once.
///
/// Everything blocks and may be called from any thread.
class TrialShelf {
  public:
    struct Config {
        std::uint64_t max_bytes = std::uint64_t{256} * 1024 * 1024;
    };

    /// A run's trials, nobody else's as long as this lives.
    class Hold {
      public:
        [[nodiscard]] const TrialTable& table() const { return *trials_->table; }
        /// The run's data set, if it is there and has the hash. Opened when it is first asked for.
        [[nodiscard]] const runfile::Dataset* blocking_dataset();
        [[nodiscard]] const std::string& dataset_trouble() const {
            return trials_->dataset_trouble;
        }

      private:
        friend class TrialShelf;
        Hold(std::shared_ptr<RunTrials> trials, store::RunFolder folder, std::string dataset_hash)
            : trials_(std::move(trials)),
              lock_(trials_->mutex),
              folder_(std::move(folder)),
              dataset_hash_(std::move(dataset_hash)) {}

        std::shared_ptr<RunTrials> trials_;
        std::unique_lock<std::mutex> lock_;
        store::RunFolder folder_;
        std::string dataset_hash_;
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
