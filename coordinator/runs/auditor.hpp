#pragma once

#include "common/async/clock.hpp"
#include "common/async/semaphore.hpp"
#include "common/log/logger.hpp"
#include "common/queue/run_queue.hpp"
#include "common/redis/client.hpp"
#include "coordinator/runs/audit_findings.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/runs/runs_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace evalfleet::runs {

/// Compares what should be in Redis with what is there, and repairs both ways: jobs that vanished
/// go out again, jobs that came back although their result is in the log are removed, jobs that
/// nobody would ever be handed are made ready. Redis may lose acknowledged writes (a failover, a
/// restore from an older snapshot); without this a run could wait for ever.
class Auditor {
  public:
    struct Config {
        std::chrono::milliseconds interval{30'000};
        std::size_t chunk = 200;  ///< indexes in one call: Redis is busy for less than 2 ms
        /// Shared by all runs: so many of them are compared with Redis at once. After a reconnect
        /// each run wants an audit.
        std::shared_ptr<async::Semaphore> turns = std::make_shared<async::Semaphore>(2);
        bool enabled = true;  ///< false lets a run stall; for the test that must notice it
    };

    using Findings = AuditFindings;

    /// What the run is told Redis again when it was forgotten.
    using MakeTerms = std::function<queue::RunTerms()>;

    Auditor(Config config, RunBook& book, queue::RunQueue& queue, redis::Client& client,
            MakeTerms make_terms, RunsMetrics& metrics, async::Clock& clock, log::Logger logger);

    /// Audits every interval, after every reconnect and whenever it is wanted; never returns.
    /// Throws Fenced. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// One audit. Also takes the run over first, which puts it back if Redis has forgotten it.
    [[nodiscard]] boost::asio::awaitable<Result<Findings>> run_once();

  private:
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::uint64_t>>> find_absent();
    [[nodiscard]] boost::asio::awaitable<void> await_full_look();
    using Indexes = std::vector<std::uint64_t>;

    [[nodiscard]] boost::asio::awaitable<Result<Findings>> compare();
    // Takes them out of `present`.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> remove_resurrected(
        Indexes& present);
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> mend(Indexes present);
    [[nodiscard]] boost::asio::awaitable<Result<Indexes>> find_orphans(Indexes suspects);
    [[nodiscard]] std::uint64_t reissue(const Indexes& absent);
    [[nodiscard]] async::TimePoint deadline() const;

    Config config_;
    RunBook& book_;
    queue::RunQueue& queue_;
    redis::Client& client_;
    MakeTerms make_terms_;
    RunsMetrics& metrics_;
    async::Clock& clock_;
    log::Logger logger_;
};

}  // namespace evalfleet::runs
