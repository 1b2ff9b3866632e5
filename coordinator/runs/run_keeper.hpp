#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/log/logger.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/function_library.hpp"
#include "common/runfile/dataset.hpp"
#include "coordinator/runs/auditor.hpp"
#include "coordinator/runs/collector.hpp"
#include "coordinator/runs/intake.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/progress.hpp"
#include "coordinator/runs/rate_meter.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/runs/run_figures.hpp"
#include "coordinator/store/durable_log.hpp"
#include "coordinator/store/run_folder.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

namespace evalfleet::runs {

/// What every run of a coordinator uses together.
struct Surroundings {
    redis::Client& client;
    redis::FunctionLibrary& functions;
    queue::Keys keys;
    redis::Config blocking_config;  ///< for a connection of a run's own, on which it may block
    const PoolWatch& pool_watch;
    RunsMetrics& metrics;
    async::BlockingPool& pool;
    async::Clock& clock;
    log::Logger logger;
    Window::Limits window;
    Auditor::Config audit;
    Collector::Config collect;
};

/// Keeps one run going from wherever it stands to its end: opens its folder and log, takes it over
/// in Redis, feeds, collects and audits until every trial is in the log, and writes its files.
/// Killed at any point, the next keeper of the folder goes on from there.
///
/// Everything runs on one executor, the caller's, which must be single-threaded.
class RunKeeper {
  public:
    RunKeeper(Surroundings surroundings, store::RunFolder folder);
    ~RunKeeper();

    /// Returns when the run is over, however it ended; `progress()` tells how. Cancelled: throws
    /// operation_aborted; the run can be taken up again.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Asks for another phase; it is durable when this returns. `denied` if the run cannot go there
    /// from where it is.
    [[nodiscard]] boost::asio::awaitable<Status> pause();
    [[nodiscard]] boost::asio::awaitable<Status> resume();
    [[nodiscard]] boost::asio::awaitable<Status> cancel();

    [[nodiscard]] Progress progress() const;
    [[nodiscard]] RunFigures figures() const;

  private:
    // What exists while the run is open.
    struct Open;

    [[nodiscard]] boost::asio::awaitable<Status> open();
    [[nodiscard]] Status blocking_open();
    [[nodiscard]] boost::asio::awaitable<void> work();
    [[nodiscard]] boost::asio::awaitable<void> take_over();
    [[nodiscard]] boost::asio::awaitable<void> watch_for_end();
    [[nodiscard]] boost::asio::awaitable<void> finish();
    [[nodiscard]] boost::asio::awaitable<Status> go_to(RunPhase phase);
    [[nodiscard]] boost::asio::awaitable<Status> change(RunPhase phase, queue::RunState state);
    [[nodiscard]] queue::RunTerms make_terms() const;
    [[nodiscard]] std::optional<std::string> find_note() const;
    void fail(std::string why);

    Surroundings around_;
    store::RunFolder folder_;
    log::Logger logger_;
    job::RunMetadata metadata_;
    job::RunSpec spec_;
    std::string spec_json_;
    RunPhase phase_ = RunPhase::queued;
    std::optional<std::string> failure_;
    std::optional<bool> release_ready_;
    async::TimePoint started_;
    std::optional<async::TimePoint> ended_;
    RateMeter rate_;
    std::unique_ptr<Open> open_;
};

}  // namespace evalfleet::runs
