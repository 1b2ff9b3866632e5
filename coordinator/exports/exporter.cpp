#include "coordinator/exports/exporter.hpp"

#include "common/config/command_line.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace evalfleet::exports {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kLongestDelay{600};

std::chrono::seconds delay_after(std::uint64_t failures) {
    const auto doublings = std::min<std::uint64_t>(failures, 10);
    return std::min(kLongestDelay, std::chrono::seconds(std::int64_t{1} << doublings));
}

archive::Target target_of(const ExporterConfig& config) {
    auto target = archive::parse_target(config.target);
    if (!target) throw std::runtime_error("export-to: " + target.error().message);
    return *std::move(target);
}

archive::S3Access access_of(const ExporterConfig& config, const archive::Target& target) {
    if (!target.is_bucket()) return {};
    auto access = archive::blocking_find_access(config.s3, config::process_environment());
    if (!access) throw std::runtime_error("export-to: " + access.error().message);
    return *std::move(access);
}

}  // namespace

ExportMetrics::ExportMetrics(metrics::Registry& registry)
    : runs(registry.counter("evalfleet_coordinator_exports_total", "Runs put into the archive")),
      failures(registry.counter("evalfleet_coordinator_export_failures_total",
                                "Tries to put a run into the archive that failed")),
      waiting(registry.gauge("evalfleet_coordinator_exports_waiting",
                             "Runs that are over and not in the archive yet")) {}

Exporter::Exporter(const asio::any_io_executor& executor, const ExporterConfig& config,
                   const std::filesystem::path& store, std::function<bool()> leads,
                   async::Clock& clock, ExportMetrics& metrics, log::Logger logger)
    : leads_(std::move(leads)),
      clock_(clock),
      metrics_(metrics),
      logger_(std::move(logger)),
      target_(target_of(config)),
      watch_(store, target_.name()),
      archiver_(executor, clock, pool_, target_, access_of(config, target_)) {}

asio::awaitable<void> Exporter::run() {
    for (;;) {
        if (leads_()) co_await look();
        co_await clock_.wait_for(kInterval);
    }
}

asio::awaitable<void> Exporter::look() {
    auto find = [this] { return watch_.blocking_look(); };
    const auto due = co_await pool_.run(find);
    const std::string error = due ? "" : due.error().message;
    if (!error.empty() && error != last_error_)
        logger_.warn("cannot find out what to export; trying again", {{"error", error}});
    last_error_ = error;
    if (!due) co_return;
    std::size_t waiting = due->size();
    metrics_.waiting.set(static_cast<double>(waiting));
    std::erase_if(attempts_, [&](const auto& attempt) {
        return std::ranges::find(*due, attempt.first, &Due::run_id) == due->end();
    });
    for (const Due& run : *due) {
        if (!leads_()) co_return;
        if (attempts_[run.run_id].next > clock_.now()) continue;
        co_await put(run);
        if (attempts_[run.run_id].failures == 0)
            metrics_.waiting.set(static_cast<double>(--waiting));
    }
}

asio::awaitable<void> Exporter::put(Due run) {
    const auto done = co_await archiver_.put(run.run_id, run.folder, false);
    if (!done) {
        note_failure(run, done.error());
        co_return;
    }
    auto mark = [this, &run] { return watch_.blocking_mark(run); };
    const Status marked = co_await pool_.run(mark);
    if (!marked) {
        note_failure(run, marked.error());
        co_return;
    }
    attempts_[run.run_id] = {};
    metrics_.runs.increment();
    logger_.keep(log::Level::info, "run exported",
                 {{"run_id", run.run_id},
                  {"target", target_.name(run.run_id)},
                  {"files", done->files},
                  {"sent", done->sent},
                  {"bytes", done->bytes}});
}

void Exporter::note_failure(const Due& run, const Error& error) {
    metrics_.failures.increment();
    Attempt& attempt = attempts_[run.run_id];
    ++attempt.failures;
    attempt.next = clock_.now() + delay_after(attempt.failures - 1);
    logger_.warn("run not exported; trying again", {{"run_id", run.run_id},
                                                    {"target", target_.name(run.run_id)},
                                                    {"attempts", attempt.failures},
                                                    {"error", error.message}});
}

}  // namespace evalfleet::exports
