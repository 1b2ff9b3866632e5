#include "coordinator/runs/run_registry.hpp"

#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "common/version/version.hpp"

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

std::string describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "unknown";
    }
}

SubmissionFacts facts_of(std::chrono::system_clock::time_point now) {
    SubmissionFacts facts;
    facts.timestamp_utc = log::format_utc(now);
    // 2026-11-16T15:55:01.123Z -> 20261116-155501
    for (const char c : facts.timestamp_utc.substr(0, 19)) {
        if (c >= '0' && c <= '9')
            facts.stamp.push_back(c);
        else if (c == 'T')
            facts.stamp.push_back('-');
    }
    std::random_device random;
    facts.stamp += fmt::format("-{:06x}", random() & 0xFFFFFF);
    facts.code_version = build_info().git_sha;
    facts.runtime = version_line("evalfleet");
    return facts;
}

}  // namespace

RunRegistry::RunRegistry(const asio::any_io_executor& executor, std::filesystem::path store,
                         Surroundings surroundings)
    : store_(std::move(store)),
      around_(std::move(surroundings)),
      keepers_(executor, [this](const std::exception_ptr& failure) {
          around_.logger.error("a run ended by an exception", {{"error", describe(failure)}});
      }) {}

asio::awaitable<void> RunRegistry::run() {
    auto find = [this] { return blocking_find_open_runs(); };
    auto folders = co_await around_.pool.run(find);
    if (!folders) throw std::runtime_error(folders.error().message);
    for (store::RunFolder& folder : *folders)
        keep(std::move(folder));
    is_ready_ = true;
    std::exception_ptr stopped;
    try {
        co_await around_.clock.wait_until(async::kNever);
    } catch (...) {
        stopped = std::current_exception();
    }
    // The keepers must be gone before what they use is.
    co_await asio::this_coro::reset_cancellation_state();
    keepers_.cancel();
    co_await keepers_.join();
    if (stopped) std::rethrow_exception(stopped);
}

Result<std::vector<store::RunFolder>> RunRegistry::blocking_find_open_runs() const {
    auto folders = store::blocking_list_runs(store_);
    if (!folders) return folders.error();
    std::erase_if(*folders, [](const store::RunFolder& folder) {
        const auto name = folder.blocking_read_phase();
        const auto phase = name ? parse_run_phase(*name) : std::nullopt;
        return phase && is_over(*phase);
    });
    return folders;
}

void RunRegistry::keep(store::RunFolder folder) {
    const std::string id = folder.run_id();
    auto keeper = std::make_unique<RunKeeper>(around_, std::move(folder));
    keepers_.spawn(keeper->run());
    runs_.emplace(id, std::move(keeper));
}

Result<std::vector<store::RunFolder>> RunRegistry::blocking_take_in(const job::RunSpec& spec) {
    const auto dataset = runfile::Dataset::blocking_validate(spec.dataset.path);
    if (!dataset) return dataset.error().status().error();
    std::vector<store::RunFolder> folders;
    for (const PlannedRun& run : plan_runs(spec, *dataset, facts_of(around_.clock.utc_now()))) {
        std::string spec_json;
        json::Writer writer(spec_json);
        job::write(writer, run.spec);
        auto folder = store::RunFolder::blocking_create(
            store_, run.run_id, job::to_json(run.metadata), spec_json, spec.dataset.path);
        if (!folder) return folder.error();
        folders.push_back(std::move(*folder));
    }
    return folders;
}

asio::awaitable<Result<std::vector<std::string>>> RunRegistry::submit(job::RunSpec spec) {
    auto take_in = [this, &spec] { return blocking_take_in(spec); };
    auto folders = co_await around_.pool.run(take_in);
    if (!folders) co_return folders.error();
    std::vector<std::string> ids;
    for (store::RunFolder& folder : *folders) {
        ids.push_back(folder.run_id());
        keep(std::move(folder));
    }
    co_return ids;
}

RunKeeper* RunRegistry::find(const std::string& run_id) {
    const auto found = runs_.find(run_id);
    return found == runs_.end() ? nullptr : found->second.get();
}

std::vector<Progress> RunRegistry::progress() const {
    std::vector<Progress> all;
    for (const auto& [id, keeper] : runs_)
        all.push_back(keeper->progress());
    return all;
}

std::vector<RunFigures> RunRegistry::figures() const {
    std::vector<RunFigures> all;
    for (const auto& [id, keeper] : runs_)
        all.push_back(keeper->figures());
    return all;
}

}  // namespace evalfleet::runs
