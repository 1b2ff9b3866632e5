#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/worker_queue.hpp"
#include "common/redis/client.hpp"
#include "worker/call/provider_health.hpp"
#include "worker/status/worker_metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace evalfleet::worker {

/// Gets jobs from the queue, and knows how to wait when there are none: on the wake list, where a
/// token appears when there is work, for about two seconds at a time; then it asks again, so that a
/// lost token costs only that. It takes only jobs whose providers can be reached.
class JobTaker {
  public:
    struct Config {
        std::chrono::milliseconds lease{30'000};
        std::size_t max_batch = 64;  ///< more in one call would hold up the Redis server
        std::chrono::milliseconds idle_wait{2'000};
        std::chrono::milliseconds timeout{5'000};  ///< of one request
    };

    /// `client`: that of `queue`. `blocking`: one of our own that may block for up to twice
    /// `idle_wait`.
    JobTaker(async::Clock& clock, queue::WorkerQueue& queue, redis::Client& client,
             redis::Client& blocking, const ProviderHealth& health, Config config,
             WorkerMetrics& metrics, log::Logger logger);

    /// Up to `count` jobs; none if there are none, or if Redis cannot be asked. Cancelled before
    /// Redis was asked: throws operation_aborted; later it is not interrupted, since it may have
    /// jobs in its hands.
    [[nodiscard]] boost::asio::awaitable<std::vector<queue::TakenJob>> take(std::size_t count);

    /// Completes when it is time to ask again. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> wait_for_work();

    [[nodiscard]] std::size_t max_batch() const noexcept { return config_.max_batch; }

    /// When Redis last answered; the construction if never. From any thread.
    [[nodiscard]] async::TimePoint last_answer() const noexcept;

  private:
    [[nodiscard]] boost::asio::awaitable<Result<queue::Taken>> ask(
        std::size_t count, std::vector<std::string> providers);
    [[nodiscard]] std::chrono::milliseconds idle_time() const;

    async::Clock& clock_;
    queue::WorkerQueue& queue_;
    redis::Client& client_;
    redis::Client& blocking_;
    const ProviderHealth& health_;
    Config config_;
    WorkerMetrics& metrics_;
    log::Logger logger_;
    std::optional<std::chrono::milliseconds> quiet_for_;  // what the last answer said
    bool failing_ = false;
    bool is_choosy_ = false;  // there may be jobs, but none for us now
    std::atomic<async::TimePoint::rep> last_answer_;
};

}  // namespace evalfleet::worker
