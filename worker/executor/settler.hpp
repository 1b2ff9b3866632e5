#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "common/queue/worker_queue.hpp"
#include "common/redaction/redactor.hpp"
#include "worker/executor/job_end.hpp"
#include "worker/executor/result_sender.hpp"
#include "worker/status/worker_metrics.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// Tells the queue how a job ended, and goes on trying as long as Redis is away: a record in our
/// memory is a call that was paid for. Safe to use from any thread.
class Settler {
  public:
    Settler(async::Clock& clock, queue::WorkerQueue& queue, ResultSender& results,
            redaction::Redactor redactor, WorkerMetrics& metrics, log::Logger logger);

    /// Completes when the queue knows. Cancelled: throws operation_aborted; the queue may or may
    /// not know.
    [[nodiscard]] boost::asio::awaitable<void> settle(queue::JobRef job, JobEnd end);

    /// Tells the coordinator what a job waits for; best effort. False if its run does not go on, so
    /// that there is nothing to wait for. Cancelled: as above.
    [[nodiscard]] boost::asio::awaitable<bool> note(queue::JobRef job, std::string text);

  private:
    /// One try; an error that may pass by itself is worth another.
    [[nodiscard]] boost::asio::awaitable<Status> tell(const queue::JobRef& job, const JobEnd& end);
    [[nodiscard]] boost::asio::awaitable<Status> deliver(const queue::JobRef& job,
                                                         const JobEnd& end);
    [[nodiscard]] boost::asio::awaitable<Status> fail(const queue::JobRef& job, const JobEnd& end);
    [[nodiscard]] boost::asio::awaitable<Status> put_back(const queue::JobRef& job,
                                                          const JobEnd& end);
    [[nodiscard]] boost::asio::awaitable<Status> release(const queue::JobRef& job);
    [[nodiscard]] async::TimePoint deadline() const;

    async::Clock& clock_;
    queue::WorkerQueue& queue_;
    ResultSender& results_;
    redaction::Redactor redactor_;
    WorkerMetrics& metrics_;
    log::Logger logger_;
};

}  // namespace evalfleet::worker
