#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/run_queue.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/runs/runs_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// Keeps the window in Redis full: the trials of the data set in order, and once more those that an
/// audit found lost.
class Feeder {
  public:
    struct Config {
        std::size_t batch_jobs = 100;                    ///< in one call
        std::size_t batch_bytes = std::size_t{1} << 20;  ///< after which a batch is full
    };

    /// What a worker needs for a trial; runs on the blocking pool.
    using ReadPayload = std::function<Result<std::string>(std::uint64_t index)>;

    Feeder(Config config, RunBook& book, queue::RunQueue& queue, async::BlockingPool& pool,
           ReadPayload read_payload, RunsMetrics& metrics, async::Clock& clock, log::Logger logger);

    /// Feeds for as long as the run goes on; never returns. Throws Fenced, and
    /// std::runtime_error if the data set cannot be read any more. Cancelled: throws
    /// operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    [[nodiscard]] bool is_stopped() const;
    [[nodiscard]] bool has_memory() const;
    [[nodiscard]] std::vector<std::uint64_t> pick();
    // A batch on its way: what was picked, how many of that were read, and the book's `rewinds`
    // when it was picked.
    struct Sending {
        std::vector<std::uint64_t> picks;
        std::size_t read = 0;
        std::uint64_t rewinds = 0;
    };

    [[nodiscard]] boost::asio::awaitable<void> feed(std::vector<std::uint64_t> picks);
    void send_later(const Sending& sending, std::size_t arrived);
    void pass_over(const Sending& sending);
    [[nodiscard]] boost::asio::awaitable<void> take_back(std::vector<std::uint64_t> sent);

    Config config_;
    RunBook& book_;
    queue::RunQueue& queue_;
    async::BlockingPool& pool_;
    ReadPayload read_payload_;
    RunsMetrics& metrics_;
    async::Clock& clock_;
    log::Logger logger_;
};

}  // namespace evalfleet::runs
