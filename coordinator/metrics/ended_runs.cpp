#include "coordinator/metrics/ended_runs.hpp"

#include "coordinator/catalog/run_facts.hpp"
#include "coordinator/store/run_folder.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace evalfleet::coordinator {

namespace {

using runs::RunPhase;
using runs::RunStats;

struct EndedRun {
    std::chrono::system_clock::time_point ended;
    store::RunFolder folder;
};

std::vector<EndedRun> blocking_find_ended(const std::filesystem::path& store) {
    std::vector<EndedRun> ended;
    const auto folders = store::blocking_list_runs(store);
    if (!folders) return ended;
    for (const store::RunFolder& folder : *folders) {
        const auto time = folder.blocking_phase_time();
        if (time && catalog::is_final(catalog::blocking_read_phase(folder)))
            ended.push_back({*time, folder});
    }
    return ended;
}

std::optional<RunStats> blocking_read_figures(const EndedRun& run) {
    const auto facts = catalog::blocking_read_facts(run.folder);
    if (!facts) return std::nullopt;
    const auto outcome = catalog::blocking_read_outcome(run.folder, facts->submitted_at);
    if (!outcome) return std::nullopt;
    RunStats figures;
    figures.run_id = facts->run_id;
    figures.name = facts->name;
    figures.phase = facts->phase;
    figures.total = facts->total;
    figures.done = outcome->done;
    figures.passed = outcome->passed;
    figures.errors = outcome->errors;
    figures.model_versions = facts->model_versions;
    figures.release_ready = outcome->release_ready;
    figures.ended = run.ended;
    return figures;
}

}  // namespace

std::optional<bool> verdict_of(const RunStats& run) {
    if (run.phase == RunPhase::failed) return false;
    return is_over(run.phase) ? run.release_ready : std::nullopt;
}

std::vector<RunStats> blocking_recall_ended(const std::filesystem::path& store, std::size_t most) {
    std::vector<EndedRun> ended = blocking_find_ended(store);
    std::sort(ended.begin(), ended.end(),
              [](const EndedRun& a, const EndedRun& b) { return a.ended > b.ended; });
    std::vector<RunStats> all;
    for (const EndedRun& run : ended) {
        if (all.size() == most) break;
        if (auto figures = blocking_read_figures(run)) all.push_back(std::move(*figures));
    }
    return all;
}

}  // namespace evalfleet::coordinator
