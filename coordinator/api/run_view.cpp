#include "coordinator/api/run_view.hpp"

#include "common/job/summary.hpp"
#include "common/json/writer.hpp"
#include "common/queue/keys.hpp"
#include "coordinator/catalog/run_filter.hpp"

#include <filesystem>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kPassRate = 1;  // of job::kGates
static_assert(job::kGates[kPassRate].name == "pass_rate");

}  // namespace

runs::Progress stored_progress(const catalog::RunFacts& facts, std::string folder) {
    runs::Progress progress;
    progress.run_id = facts.run_id;
    progress.name = facts.name;
    progress.group_id = facts.group_id;
    progress.phase = facts.phase;
    progress.total = facts.total;
    progress.folder = std::move(folder);
    if (!facts.note.empty()) progress.note = facts.note;
    if (!facts.outcome) return progress;
    progress.done = facts.outcome->done;
    progress.passed = facts.outcome->passed;
    if (const auto& gate = facts.outcome->gates[kPassRate]; gate.lower && gate.upper)
        progress.pass_rate_ci95 = statistics::Interval{*gate.lower, *gate.upper};
    progress.errors = facts.outcome->errors;
    progress.elapsed_s = facts.outcome->elapsed_s;
    progress.release_ready = facts.outcome->release_ready;
    progress.is_undecided = facts.outcome->is_undecided;
    progress.measured = facts.outcome->measured;
    return progress;
}

runs::Progress current_progress(std::optional<runs::Progress> live, const catalog::RunFacts& facts,
                                std::string folder) {
    if (!live) return stored_progress(facts, std::move(folder));
    // Known from the submission on, while its keeper may still be opening it, or could not.
    if (live->name.empty()) live->name = facts.name;
    if (!live->group_id) live->group_id = facts.group_id;
    if (live->total == 0) live->total = facts.total;
    return std::move(*live);
}

std::string to_json(const RunView& view) {
    const auto& outcome = view.facts.outcome;
    std::string about;
    json::Writer writer(about);
    writer.begin_object()
        .member("submitted_at", view.facts.submitted_at)
        .member("model", view.facts.model)
        .member("prompt", view.facts.prompt)
        .member("judge", view.facts.judge)
        .member("dataset_id", view.facts.dataset_id)
        .member("dataset_hash", view.facts.dataset_hash)
        .member("submitted_by", view.facts.submitted_by)
        .member("description", view.facts.description)
        .member("verdict", to_string(catalog::verdict_of(view.facts, view.progress.phase)))
        .member("cost_usd", outcome ? outcome->cost_usd : std::nullopt)
        .member("ended_at", outcome ? std::optional(outcome->ended_at) : std::nullopt)
        .key("run_labels")
        .begin_object();
    for (const auto& [key, value] : view.facts.run_labels)
        writer.member(key, value);
    writer.end_object().end_object();
    // One object out of two: how far it is, and what it is about.
    std::string text = runs::to_json(view.progress);
    text.back() = ',';
    return text.append(about, 1, std::string::npos);
}

asio::awaitable<std::optional<RunView>> find_run(Services& services, std::string run_id) {
    if (!queue::is_run_id(run_id)) co_return std::nullopt;
    auto keeper = services.registry.find(run_id);
    std::optional<catalog::RunFacts> facts;
    // Of one that is over the folder has the outcome, also while somebody still keeps it.
    const bool goes_on = keeper != nullptr && !catalog::is_final(keeper->phase());
    if (const auto known = services.catalog.known(run_id); goes_on && known) {
        facts = *known;
    } else {
        auto find = [&services, &run_id] { return services.catalog.blocking_find(run_id); };
        facts = co_await services.quick_pool.run(find);
        if (!facts) co_return std::nullopt;
        // It may have been taken up or let go meanwhile.
        keeper = services.registry.find(run_id);
    }
    const auto folder = std::filesystem::absolute(services.catalog.folder(run_id).path());
    auto live = keeper == nullptr ? std::nullopt : keeper->progress();
    co_return RunView{current_progress(std::move(live), *facts, folder.string()), *facts};
}

}  // namespace evalfleet::api
