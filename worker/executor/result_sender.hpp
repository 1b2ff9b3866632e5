#pragma once

#include "common/async/clock.hpp"
#include "common/async/waiter.hpp"
#include "common/queue/worker_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace evalfleet::worker {

/// Hands results over to the queue, all that are ready in one call: most of what a call costs Redis
/// and the worker does not depend on how many results are in it. A result is sent at once while few
/// come; while many do, those of a few milliseconds go together. What is not yet handed over is
/// bounded by its senders, who wait.
class ResultSender {
  public:
    ResultSender(async::Clock& clock, queue::WorkerQueue& queue);
    ~ResultSender();

    /// Completes when the queue knows, or with the error of `WorkerQueue::done`: then it may or may
    /// not know. Cancelled: throws operation_aborted; likewise. From any thread, on a strand.
    [[nodiscard]] boost::asio::awaitable<Result<queue::Delivery>> send(queue::JobResult result);

    /// Sends until cancelled. Once, while results are sent.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    struct Claim;
    using Batch = std::vector<std::shared_ptr<Claim>>;

    void add(std::shared_ptr<Claim> claim);
    [[nodiscard]] std::size_t count_waiting() const;
    [[nodiscard]] Batch take_batch();
    [[nodiscard]] boost::asio::awaitable<void> await_first();
    /// An error: it is not the same for all, and nobody was told.
    [[nodiscard]] boost::asio::awaitable<Status> hand_over(const Batch& batch);
    [[nodiscard]] boost::asio::awaitable<void> hand_over_singly(const Batch& batch);

    async::Clock& clock_;
    queue::WorkerQueue& queue_;
    mutable std::mutex mutex_;  // guards the members below
    std::deque<std::shared_ptr<Claim>> waiting_;
    std::shared_ptr<async::Waiter> sleeper_;  // run(), while nothing waits
};

}  // namespace evalfleet::worker
