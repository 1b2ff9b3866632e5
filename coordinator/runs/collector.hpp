#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/run_queue.hpp"
#include "coordinator/runs/intake.hpp"
#include "coordinator/runs/read_pace.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/runs/runs_metrics.hpp"
#include "coordinator/store/durable_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace evalfleet::runs {

/// Brings results home: reads them from Redis in batches, writes the first result of each trial to
/// the durable log with one sync a batch, and only then lets Redis forget them. A crash between any
/// two steps repeats the batch; the ledger drops what is there already.
class Collector {
  public:
    struct Config {
        ReadPace::Limits batch{};
        std::chrono::milliseconds patience{500};  ///< of one blocking read
        unsigned max_bad_results = 3;             ///< of one trial, until it is recorded as lost
        bool drop_repeats = true;  ///< false breaks the run; for the test that must notice it
        /// Gets each record that is in the log now. Must neither block nor throw; empty: nobody.
        std::function<void(std::string_view run_id, std::uint64_t index, std::string_view record)>
            on_record{};
    };

    /// `blocking` is a client of the collector's own. `log` is used on the pool `durable`, which
    /// must not be kept waiting by others, by who holds the book's `log_turn`.
    Collector(Config config, RunBook& book, queue::RunQueue& queue, redis::Client& blocking,
              store::DurableLog& log, Intake& intake, Intake::ReadSample read_sample,
              async::BlockingPool& pool, async::BlockingPool& durable, RunsMetrics& metrics,
              async::Clock& clock, log::Logger logger);

    /// Collects for as long as the run goes on; never returns. Throws Fenced when the log or
    /// Redis says that another coordinator has the run, LogBroken when records are lost. Cancelled:
    /// throws operation_aborted, after the batch that is being written.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    // A batch on its way: results, and what they became.
    struct Kept {
        std::uint64_t index = 0;
        Intake::Accepted accepted;
    };
    struct Batch {
        std::vector<Kept> kept;
        std::vector<std::pair<std::uint64_t, std::string>> refused;  // index and reason
    };

    [[nodiscard]] boost::asio::awaitable<void> backoff_after(Error error);
    void learn_sizes(const std::vector<queue::RunResult>& results);
    [[nodiscard]] bool is_settled(std::uint64_t index) const;
    [[nodiscard]] boost::asio::awaitable<void> collect(std::vector<queue::RunResult> results);
    void take_notes(std::vector<queue::RunResult>& results);
    [[nodiscard]] std::vector<queue::RunResult> keep_new(std::vector<queue::RunResult> results);
    [[nodiscard]] Batch validate(const std::vector<queue::RunResult>& results);
    [[nodiscard]] boost::asio::awaitable<void> write_down(Batch batch);
    void enter(const std::vector<Kept>& kept, const std::vector<std::uint64_t>& offsets);
    [[nodiscard]] boost::asio::awaitable<void> acknowledge(std::vector<std::string> ids);
    void note_refused(const Batch& batch);
    void note_lag(const std::vector<std::string>& ids);

    Config config_;
    ReadPace pace_;
    RunBook& book_;
    queue::RunQueue& queue_;
    redis::Client& blocking_;
    store::DurableLog& log_;
    Intake& intake_;
    Intake::ReadSample read_sample_;
    async::BlockingPool& pool_;
    async::BlockingPool& durable_;
    RunsMetrics& metrics_;
    async::Clock& clock_;
    log::Logger logger_;
};

}  // namespace evalfleet::runs
