#pragma once

#include "common/async/gate.hpp"
#include "common/async/semaphore.hpp"
#include "common/log/logger.hpp"
#include "common/queue/worker_queue.hpp"
#include "worker/executor/begun_teller.hpp"
#include "worker/executor/held_jobs.hpp"
#include "worker/executor/job_taker.hpp"
#include "worker/executor/run_contexts.hpp"
#include "worker/executor/settler.hpp"
#include "worker/trial/trial_runner.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

namespace evalfleet::worker {

/// The parts an executor works with; all must outlive it.
struct ExecutorParts {
    async::Clock& clock;
    JobTaker& taker;
    Settler& settler;
    BegunTeller& begun;
    RunContexts& contexts;
    TrialRunner& trials;
    HeldJobs& held;
    WorkerMetrics& metrics;
    log::Logger logger;
};

/// Keeps all slots of the worker busy: takes as many jobs as there are free slots, does each on a
/// strand of its own, and tells the queue how it ended. A job keeps its slot until the queue knows
/// its end, so that what waits for a lost Redis is bounded by the slots. Only while it waits
/// between two attempts it lends its slot out, so that the worker never holds more than twice as
/// many.
class Executor {
  public:
    /// `executor`: that of the I/O threads.
    Executor(const boost::asio::any_io_executor& executor, std::size_t threads, std::size_t slots,
             ExecutorParts parts);

    /// Takes and starts jobs until cancelled; those under way go on. A request to Redis that is
    /// under way is awaited first, so that no taken job gets lost.
    [[nodiscard]] boost::asio::awaitable<void> take_jobs();

    /// After `take_jobs` has ended: hands back at once what only waits, for a permit or between two
    /// attempts, and has no answer. Awaits the other jobs until `deadline`, then stops them and
    /// hands them back, for which there are a few seconds more. How many were not finished.
    /// Cancelled: throws operation_aborted; the jobs go on, `abandon` them.
    [[nodiscard]] boost::asio::awaitable<std::size_t> drain(async::TimePoint deadline);

    /// Stops all jobs without a word to the queue, and completes when they have stopped.
    [[nodiscard]] boost::asio::awaitable<void> abandon();

  private:
    class Listener;

    void start(queue::TakenJob taken, async::Semaphore::Permit slot);
    [[nodiscard]] boost::asio::awaitable<void> work(std::shared_ptr<HeldJob> job,
                                                    queue::TakenJob taken);
    [[nodiscard]] boost::asio::awaitable<JobEnd> perform(HeldJob& job, queue::TakenJob taken);
    [[nodiscard]] boost::asio::awaitable<JobEnd> attempt(HeldJob& job, queue::TakenJob taken);
    /// Trials of a run that does not go on, whose judges are away, go back into the queue.
    void hand_back(const std::string& run);
    [[nodiscard]] boost::asio::awaitable<bool> all_out(async::TimePoint deadline);

    boost::asio::any_io_executor executor_;
    const std::size_t threads_;
    ExecutorParts parts_;
    async::Semaphore slots_;
    const std::size_t most_lent_;
    std::atomic<std::size_t> lent_ = 0;
    async::Gate gate_;  // every job is inside
    std::atomic<bool> draining_ = false;
    std::atomic<std::size_t> stopped_ = 0;  // jobs, since it drains
    std::atomic<bool> abandoned_ = false;   // nothing is told to the queue any more
};

}  // namespace evalfleet::worker
