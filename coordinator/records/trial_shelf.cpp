#include "coordinator/records/trial_shelf.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace evalfleet::records {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBytesOfASample = 16;  // of runfile::Dataset

bool blocking_is_fresh(const RunTrials& trials, const TrialShelf::Run& run) {
    if (!trials.is_ready || !run.has_results) return false;
    std::error_code code;
    const auto changed = fs::last_write_time(run.folder.file("records.jsonl"), code);
    return !code && changed == trials.changed;
}

Status blocking_refresh(RunTrials& trials, const TrialShelf::Run& run,
                        const std::stop_token& stop) {
    std::error_code code;
    if (!run.has_results) {
        if (!trials.table) trials.table = TrialTable::of_log(run.folder.log());
        if (!fs::exists(run.folder.log(), code)) return {};
        return trials.table->blocking_follow(stop);
    }
    const fs::path records = run.folder.file("records.jsonl");
    const auto changed = fs::last_write_time(records, code);
    if (trials.table && !code && changed == trials.changed) return {};
    auto loaded = TrialTable::blocking_open(records, table_file_of(run.folder), stop);
    if (!loaded) return loaded.error();
    if (stop.stop_requested()) return Error{ErrorKind::cancelled, "stopped"};
    trials.table = std::move(*loaded);
    trials.changed = changed;
    return {};
}

void blocking_look_for_dataset(RunTrials& trials, const TrialShelf::Run& run) {
    if (std::exchange(trials.has_looked_for_dataset, true)) return;
    auto opened = runfile::Dataset::blocking_open(run.folder.dataset());
    if (!opened)
        trials.dataset_trouble = "the data set is not in the run's folder";
    else if (opened->sha256() != run.dataset_hash)
        trials.dataset_trouble = "the data set in the run's folder is not the one it ran with";
    else
        trials.dataset = std::move(*opened);
}

// What is followed and what is loaded are two tables: one run has one after the other.
std::string key_of(const TrialShelf::Run& run) {
    return run.folder.path().string() + (run.has_results ? "" : "/log");
}

}  // namespace

fs::path table_file_of(const store::RunFolder& folder) {
    return folder.path() / "work" / "trials.table";
}

Result<TrialShelf::Hold> TrialShelf::blocking_take(const Run& run, const std::stop_token& stop) {
    const std::string key = key_of(run);
    const std::shared_ptr<RunTrials> trials = find(key);
    {
        Hold hold(trials);
        if (blocking_is_fresh(*trials, run)) return hold;
    }
    std::uint64_t bytes = 0;
    {
        const std::unique_lock lock(trials->mutex);
        if (const Status fresh = blocking_refresh(*trials, run, stop); !fresh) return fresh.error();
        blocking_look_for_dataset(*trials, run);
        trials->is_ready = true;
        bytes = trials->table->memory_bytes();
        if (trials->dataset) bytes += trials->dataset->size() * kBytesOfASample;
    }
    note_size(key, bytes);
    return Hold(trials);
}

std::shared_ptr<RunTrials> TrialShelf::find(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& place) { return place.key == key; });
    if (found == places_.end())
        places_.push_front({key, std::make_shared<RunTrials>(), 0});
    else
        places_.splice(places_.begin(), places_, found);
    return places_.front().trials;
}

void TrialShelf::note_size(const std::string& key, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::uint64_t total = 0;
    for (auto place = places_.begin(); place != places_.end();) {
        if (place->key == key) place->bytes = bytes;
        total += place->bytes;
        // The one that is being used stays, however large.
        const bool stays = total <= config_.max_bytes || place->key == key;
        place = stays ? std::next(place) : places_.erase(place);
    }
}

bool TrialShelf::has(const Run& run) const {
    const std::scoped_lock lock(mutex_);
    return std::any_of(places_.begin(), places_.end(),
                       [key = key_of(run)](const Place& place) { return place.key == key; });
}

bool TrialShelf::is_ready(const Run& run) const {
    const std::scoped_lock lock(mutex_);
    return std::any_of(places_.begin(), places_.end(), [key = key_of(run)](const Place& place) {
        return place.key == key && place.trials->is_ready;
    });
}

std::uint64_t TrialShelf::memory_bytes() const {
    const std::scoped_lock lock(mutex_);
    std::uint64_t total = 0;
    for (const Place& place : places_)
        total += place.bytes;
    return total;
}

}  // namespace evalfleet::records
