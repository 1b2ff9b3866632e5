#include "coordinator/records/trial_shelf.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace evalfleet::records {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBytesOfASample = 16;  // of runfile::Dataset

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
    auto loaded = TrialTable::blocking_load(records, stop);
    if (!loaded) return loaded.error();
    if (stop.stop_requested()) return Error{ErrorKind::cancelled, "stopped"};
    trials.table = std::move(*loaded);
    trials.changed = changed;
    return {};
}

// What is followed and what is loaded are two tables: one run has one after the other.
std::string key_of(const TrialShelf::Run& run) {
    return run.folder.path().string() + (run.has_results ? "" : "/log");
}

}  // namespace

const runfile::Dataset* TrialShelf::Hold::blocking_dataset() {
    RunTrials& trials = *trials_;
    if (!std::exchange(trials.has_looked_for_dataset, true)) {
        auto opened = runfile::Dataset::blocking_open(folder_.dataset());
        if (!opened)
            trials.dataset_trouble = "the data set is not in the run's folder";
        else if (opened->sha256() != dataset_hash_)
            trials.dataset_trouble = "the data set in the run's folder is not the one it ran with";
        else
            trials.dataset = std::move(*opened);
    }
    return trials.dataset ? &*trials.dataset : nullptr;
}

Result<TrialShelf::Hold> TrialShelf::blocking_take(const Run& run, const std::stop_token& stop) {
    const std::string key = key_of(run);
    Hold hold(find(key), run.folder, run.dataset_hash);
    if (const Status fresh = blocking_refresh(*hold.trials_, run, stop); !fresh)
        return fresh.error();
    const auto& dataset = hold.trials_->dataset;
    note_size(key, hold.table().memory_bytes() + (dataset ? dataset->size() * kBytesOfASample : 0));
    return hold;
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

std::uint64_t TrialShelf::memory_bytes() const {
    const std::scoped_lock lock(mutex_);
    std::uint64_t total = 0;
    for (const Place& place : places_)
        total += place.bytes;
    return total;
}

}  // namespace evalfleet::records
