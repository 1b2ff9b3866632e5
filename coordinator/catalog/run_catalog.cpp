#include "coordinator/catalog/run_catalog.hpp"

#include "common/queue/keys.hpp"

#include <system_error>
#include <utility>
#include <vector>

namespace evalfleet::catalog {

namespace fs = std::filesystem;

RunCatalog::RunCatalog(fs::path store) : store_(std::move(store)) {}

store::RunFolder RunCatalog::folder(const std::string& run_id) const {
    return store::RunFolder(store_ / "runs" / run_id);
}

Status RunCatalog::blocking_scan() {
    const auto folders = store::blocking_list_runs(store_);
    if (!folders) return folders.error();
    auto found = std::make_shared<Runs>();
    for (const store::RunFolder& folder : *folders) {
        if (const auto known = runs_->find(folder.run_id()); known != runs_->end()) {
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
    std::vector<std::shared_ptr<const RunFacts>> changed;
    for (const auto& [id, facts] : *runs_) {
        if (is_final(facts->phase)) continue;
        const runs::RunPhase phase = blocking_read_phase(folder(id));
        if (phase == facts->phase) continue;
        RunFacts fresh = *facts;
        fresh.phase = phase;
        changed.push_back(std::make_shared<const RunFacts>(std::move(fresh)));
    }
    if (changed.empty()) return;
    auto runs = std::make_shared<Runs>(*runs_);
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
        scanned_ = changed;
    }
    blocking_update();
    return runs_;
}

std::shared_ptr<const RunFacts> RunCatalog::known(const std::string& run_id) const {
    const std::scoped_lock lock(mutex_);
    const auto found = runs_->find(run_id);
    return found == runs_->end() ? nullptr : found->second;
}

std::optional<RunFacts> RunCatalog::blocking_find(const std::string& run_id) {
    if (!queue::is_run_id(run_id)) return std::nullopt;
    const store::RunFolder place = folder(run_id);
    auto facts = blocking_read_facts(place);
    if (!facts) return std::nullopt;
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
