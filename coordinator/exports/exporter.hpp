#pragma once

#include "common/archive/archiver.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/metrics/registry.hpp"
#include "coordinator/exports/export_watch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace evalfleet::exports {

/// Exists whether runs are exported or not.
struct ExportMetrics {
    explicit ExportMetrics(metrics::Registry& registry);

    metrics::Counter runs;
    metrics::Counter failures;
    metrics::Gauge waiting;
};

struct ExporterConfig {
    std::string target;  ///< `s3://bucket/prefix` or a folder
    archive::S3Config s3;
};

/// Puts every run that is over into the operator's archive, each until it is there: what fails is
/// tried again, later each time, restarts included. Only while this coordinator leads its store.
/// One run at a time, with threads that give way to all others; a run never waits for it.
///
/// Runs on one single-threaded executor.
class Exporter {
  public:
    /// Looks keys up, and so blocks. Throws std::runtime_error if the target cannot be used.
    Exporter(const boost::asio::any_io_executor& executor, const ExporterConfig& config,
             const std::filesystem::path& store, std::function<bool()> leads, async::Clock& clock,
             ExportMetrics& metrics, log::Logger logger);

    /// Until cancelled: then throws operation_aborted. The next start goes on.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    struct Attempt {
        std::uint64_t failures = 0;
        async::TimePoint next{};
    };

    [[nodiscard]] boost::asio::awaitable<void> look();
    [[nodiscard]] boost::asio::awaitable<void> put(Due run);
    void note_failure(const Due& run, const Error& error);

    std::function<bool()> leads_;
    async::Clock& clock_;
    ExportMetrics& metrics_;
    log::Logger logger_;
    async::BlockingPool pool_{{.threads = 1, .max_queued = 8, .name = "exports", .niceness = 10}};
    archive::Target target_;
    ExportWatch watch_;
    archive::Archiver archiver_;
    std::map<std::string, Attempt> attempts_;  // by run
    std::string last_error_;                   // of a look
};

}  // namespace evalfleet::exports
