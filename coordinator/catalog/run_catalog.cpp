#include "coordinator/catalog/run_catalog.hpp"

#include "common/files/atomic_file.hpp"
#include "common/queue/keys.hpp"

#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

namespace evalfleet::catalog {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kTimeStep{100};

}  // namespace

RunCatalog::RunCatalog(fs::path store) : store_(std::move(store)) {}

store::RunFolder RunCatalog::folder(const std::string& run_id) const {
    return store::RunFolder(store_ / "runs" / run_id);
}

std::shared_ptr<const RunCatalog::Runs> RunCatalog::snapshot() const {
    const std::scoped_lock lock(mutex_);
    return runs_;
}

Status RunCatalog::blocking_scan() {
    const auto folders = store::blocking_list_runs(store_);
    if (!folders) return folders.error();
    const auto before = snapshot();
    auto found = std::make_shared<Runs>();
    for (const store::RunFolder& folder : *folders) {
        if (const auto known = before->find(folder.run_id()); known != before->end()) {
            found->insert(*known);
            continue;
        }
        auto facts = blocking_read_facts(folder);
        // Whoever keeps the runs tells of a folder that is broken; a list goes on without it.
        if (!facts) continue;
        found->emplace(folder.run_id(), std::make_shared<const RunFacts>(std::move(*facts)));
    }
    const std::scoped_lock lock(mutex_);
    std::erase_if(outcomes_, [&](const auto& outcome) { return !found->contains(outcome.first); });
    runs_ = std::move(found);
    return {};
}

void RunCatalog::blocking_update() {
    const auto before = snapshot();
    std::vector<std::shared_ptr<const RunFacts>> changed;
    for (const auto& [id, facts] : *before) {
        if (is_final(facts->phase)) continue;
        const runs::RunPhase phase = blocking_read_phase(folder(id));
        if (phase == facts->phase) continue;
        RunFacts fresh = *facts;
        fresh.phase = phase;
        changed.push_back(std::make_shared<const RunFacts>(std::move(fresh)));
    }
    if (changed.empty()) return;
    auto runs = std::make_shared<Runs>(*before);
    for (auto& facts : changed)
        (*runs)[facts->run_id] = facts;
    const std::scoped_lock lock(mutex_);
    runs_ = std::move(runs);
}

Result<std::shared_ptr<const RunCatalog::Runs>> RunCatalog::blocking_look() {
    const std::scoped_lock lock(look_mutex_);
    std::error_code code;
    // Taken before the folders are read: what comes meanwhile is found by the next look.
    const auto changed = fs::last_write_time(store_ / "runs", code);
    if (code || changed != scanned_) {
        if (const Status scanned = blocking_scan(); !scanned) return scanned.error();
        // The time of a folder has coarse steps: a change in the same step would not show.
        const bool is_settled = fs::file_time_type::clock::now() - changed > kTimeStep;
        scanned_ = is_settled ? changed : fs::file_time_type();
    }
    blocking_update();
    return snapshot();
}

std::shared_ptr<const RunFacts> RunCatalog::known(const std::string& run_id) const {
    const auto runs = snapshot();
    const auto found = runs->find(run_id);
    return found == runs->end() ? nullptr : found->second;
}

// One that is asked for before the next look is not read again and again.
void RunCatalog::remember(const RunFacts& facts) {
    const std::scoped_lock lock(mutex_);
    if (runs_->contains(facts.run_id)) return;
    auto runs = std::make_shared<Runs>(*runs_);
    runs->emplace(facts.run_id, std::make_shared<const RunFacts>(facts));
    runs_ = std::move(runs);
}

void RunCatalog::blocking_note_submitter(const std::string& run_id, const std::string& name) {
    static_cast<void>(files::blocking_write_atomically(submitter_file(folder(run_id)), name));
    // A look that goes on would put what it began with in the place of what is entered here.
    const std::scoped_lock lock(look_mutex_, mutex_);
    const auto known = runs_->find(run_id);
    if (known == runs_->end()) return;
    // It was seen before its submitter was written.
    RunFacts fresh = *known->second;
    fresh.submitted_by = name;
    auto runs = std::make_shared<Runs>(*runs_);
    (*runs)[run_id] = std::make_shared<const RunFacts>(std::move(fresh));
    runs_ = std::move(runs);
}

std::optional<RunFacts> RunCatalog::blocking_find(const std::string& run_id) {
    if (!queue::is_run_id(run_id)) return std::nullopt;
    const store::RunFolder place = folder(run_id);
    auto facts = blocking_read_facts(place);
    if (!facts) return std::nullopt;
    remember(*facts);
    if (!is_final(facts->phase)) return *facts;
    {
        const std::scoped_lock lock(mutex_);
        if (const auto known = outcomes_.find(run_id); known != outcomes_.end())
            facts->outcome = known->second;
    }
    if (facts->outcome) return *facts;
    facts->outcome = blocking_read_outcome(place, facts->submitted_at);
    const std::scoped_lock lock(mutex_);
    if (facts->outcome && runs_->contains(run_id)) outcomes_[run_id] = *facts->outcome;
    return *facts;
}

}  // namespace evalfleet::catalog
