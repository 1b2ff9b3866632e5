// The rest of RunRegistry: baselines, and removing runs.
#include "common/queue/keys.hpp"
#include "coordinator/runs/run_registry.hpp"

#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

std::chrono::system_clock::time_point blocking_end_of(const store::RunFolder& folder) {
    const auto written = folder.blocking_phase_time();
    return written ? *written : std::chrono::system_clock::time_point::max();
}

// Runs that are over, and when they ended.
std::vector<OverRun> blocking_find_over(const fs::path& store) {
    std::vector<OverRun> over;
    const auto folders = store::blocking_list_runs(store);
    if (!folders) return over;
    for (const store::RunFolder& folder : *folders) {
        const auto name = folder.blocking_read_phase();
        const auto phase = name ? parse_run_phase(*name) : std::nullopt;
        if (phase && is_over(*phase)) over.push_back({folder.run_id(), blocking_end_of(folder)});
    }
    return over;
}

// Also done if only its name is gone: what is left of it is no run, and goes at the next start.
Status blocking_remove_folder(const store::RunFolder& folder) {
    Status removed = folder.blocking_remove();
    std::error_code code;
    const auto type = fs::symlink_status(folder.path(), code).type();
    return type == fs::file_type::not_found ? Status() : removed;
}

Error no_such_run(const std::string& run_id) {
    return {ErrorKind::not_found, "there is no run '" + run_id + "'"};
}

// The phase on disk; `not_found` if there is no such run.
Result<RunPhase> blocking_phase_of(const store::RunFolder& folder) {
    const auto name = folder.blocking_read_phase();
    const auto phase = name ? parse_run_phase(*name) : std::nullopt;
    if (!phase) return no_such_run(folder.run_id());
    return *phase;
}

}  // namespace

asio::awaitable<void> RunRegistry::remove_expired() {
    std::set<std::string> kept;
    for (const auto& [name, run_id] : baselines_)
        kept.insert(run_id);
    // What a run that goes on, or may be resumed, will be compared with.
    for (const auto& [id, keeper] : runs_) {
        const RunPhase phase = keeper->phase();
        const bool has_results = phase == RunPhase::done || phase == RunPhase::cancelled;
        if (keeper->baseline_run_id() && !has_results) kept.insert(*keeper->baseline_run_id());
    }
    auto find = [this] { return blocking_find_over(store_); };
    async::HeavyPool::Job job{"store"};
    auto over = co_await deps_.heavy.run(std::move(job), find);
    // The keeper of a run that has just ended may still be at work in its folder.
    std::erase_if(over, [this](const OverRun& run) {
        const auto kept_run = runs_.find(run.run_id);
        return kept_run != runs_.end() && !kept_run->second->is_settled();
    });
    const auto expired = choose_expired(std::move(over), kept, retention_, deps_.clock.utc_now());
    for (const std::string& id : expired) {
        const Status removed = co_await remove_folder(id);
        if (removed)
            deps_.logger.info("removed a run that was kept long enough", {{"run", id}});
        else
            deps_.logger.warn("cannot remove a run", {{"run", id}, {"error", removed.error()}});
    }
}

asio::awaitable<Status> RunRegistry::remove_folder(std::string run_id) {
    const std::shared_ptr<RunKeeper> keeper = find(run_id);
    if (keeper) {
        const Status retired = co_await keeper->retire();
        if (!retired) co_return retired;
    }
    auto remove = [this, &run_id] { return blocking_remove_folder(folder(run_id)); };
    async::HeavyPool::Job job{run_id};
    const Status removed = co_await deps_.heavy.run(std::move(job), remove);
    if (!removed) {
        if (keeper) keeper->stay();
        co_return removed;
    }
    past_.erase(run_id);
    runs_.erase(run_id);
    if (keeper) keeper->leave();
    // Redis may have it, too, and may be away now.
    reconciler_->note_removed(run_id);
    const auto emptied = submissions_.remove_run(run_id);
    if (!emptied) co_return Status();
    auto forget = [this, &emptied] {
        std::error_code ignored;
        fs::remove_all(store_ / "groups" / *emptied, ignored);
        return store::blocking_forget(store_, *emptied);
    };
    co_return co_await deps_.durable.run(forget);
}

asio::awaitable<Status> RunRegistry::remove(std::string run_id) {
    if (!queue::is_run_id(run_id)) co_return no_such_run(run_id);
    for (const auto& [name, baseline] : baselines_) {
        if (baseline == run_id) {
            co_return Error{ErrorKind::denied,
                            "the run is the baseline '" + name + "'; remove that first"};
        }
    }
    auto look = [this, &run_id] { return blocking_phase_of(folder(run_id)); };
    auto phase = co_await deps_.pool.run(look);
    // Its keeper knows better: one that failed may not have been able to write that down.
    if (const auto keeper = find(run_id); keeper && keeper->is_settled()) phase = keeper->phase();
    if (!phase) co_return phase.error();
    if (!is_over(*phase)) {
        co_return Error{ErrorKind::denied,
                        "the run is " + std::string(to_string(*phase)) + "; cancel it first"};
    }
    co_return co_await remove_folder(std::move(run_id));
}

asio::awaitable<Status> RunRegistry::set_baseline(std::string name, std::string run_id) {
    if (!store::is_baseline_name(name)) {
        co_return Error{ErrorKind::invalid,
                        "name: allowed are 1 to 64 letters, digits, dots, dashes and underscores"};
    }
    if (!queue::is_run_id(run_id)) co_return no_such_run(run_id);
    auto look = [this, &run_id] { return blocking_phase_of(folder(run_id)); };
    const auto phase = co_await deps_.pool.run(look);
    if (!phase) co_return phase.error();
    if (*phase != RunPhase::done) {
        co_return Error{ErrorKind::denied, "the run is " + std::string(to_string(*phase)) +
                                               "; a baseline must be done"};
    }
    const auto permit = co_await writing_baselines_.acquire();
    store::Baselines next = baselines_;
    next.insert_or_assign(std::move(name), std::move(run_id));
    co_return co_await write_baselines(std::move(next));
}

asio::awaitable<Status> RunRegistry::drop_baseline(std::string name) {
    const auto permit = co_await writing_baselines_.acquire();
    store::Baselines next = baselines_;
    if (next.erase(name) == 0)
        co_return Error{ErrorKind::not_found, "there is no baseline '" + name + "'"};
    co_return co_await write_baselines(std::move(next));
}

asio::awaitable<Status> RunRegistry::write_baselines(store::Baselines next) {
    auto write = [this, &next] { return store::blocking_write_baselines(store_, next); };
    const Status written = co_await deps_.durable.run(write);
    if (written) baselines_ = std::move(next);
    co_return written;
}

}  // namespace evalfleet::runs
