#pragma once

#include "common/async/clock.hpp"
#include "common/async/notifier.hpp"
#include "common/log/logger.hpp"
#include "common/queue/worker_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <mutex>
#include <vector>

namespace evalfleet::worker {

/// Tells the queue which jobs have begun, a few at a time and soon after: a job that was handed out
/// and never began costs no delivery when its worker dies. What cannot be told is dropped, which
/// errs in favour of the job.
class BegunTeller {
  public:
    BegunTeller(async::Clock& clock, queue::WorkerQueue& queue, log::Logger logger);

    /// From any thread.
    void add(queue::JobRef job);

    /// Tells until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    [[nodiscard]] std::vector<queue::JobRef> take();

    async::Clock& clock_;
    queue::WorkerQueue& queue_;
    log::Logger logger_;
    async::Notifier added_;
    std::mutex mutex_;  // guards jobs_
    std::vector<queue::JobRef> jobs_;
};

}  // namespace evalfleet::worker
