#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/queue/types.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace evalfleet::queue {

/// The queue as a worker uses it. Every call can be repeated when it failed as `transient` or
/// `timeout`: what the first one did is found done. All calls may be made from any thread; errors
/// and cancellation are those of `redis::Client::execute`, `invalid` for an answer that makes no
/// sense.
class WorkerQueue {
  public:
    /// `worker`: unique among the workers that live at the same time.
    WorkerQueue(redis::FunctionLibrary& functions, Keys keys, std::string worker);

    /// Up to `count` jobs that need no other providers than these, each leased for `lease`; fewer
    /// if they are large, and only a few while Redis is at its memory limit. A reply that is lost
    /// costs nothing but the wait for the leases to run out.
    [[nodiscard]] boost::asio::awaitable<Result<Taken>> take(std::size_t count,
                                                             std::chrono::milliseconds lease,
                                                             std::vector<std::string> providers,
                                                             async::TimePoint deadline);

    /// The first requests of these jobs are on their way. How many were still ours.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> begun(std::vector<JobRef> jobs,
                                                                      async::TimePoint deadline);

    /// Says that the worker lives, and prolongs the leases of the jobs it holds. One answer a job.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<Beat>>> beat(
        std::vector<JobRef> held, std::chrono::milliseconds lease, async::TimePoint deadline);

    /// Some hundred results at most. What became of each.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<Delivery>>> done(
        std::vector<JobResult> results, async::TimePoint deadline);
    /// The same for a single one.
    [[nodiscard]] boost::asio::awaitable<Result<Delivery>> done(JobRef job, std::string record,
                                                                Spent spent,
                                                                async::TimePoint deadline);
    [[nodiscard]] boost::asio::awaitable<Result<Delivery>> done(JobRef job, std::string record,
                                                                async::TimePoint deadline);

    [[nodiscard]] boost::asio::awaitable<Result<Failure>> fail(JobRef job,
                                                               std::chrono::milliseconds delay,
                                                               std::uint64_t max_tries,
                                                               std::string reason,
                                                               async::TimePoint deadline);

    /// Puts a job back for later, or notes what is in its way.
    [[nodiscard]] boost::asio::awaitable<Result<Failure>> setback(JobRef job, JobSetback setback,
                                                                  async::TimePoint deadline);

    /// Hands jobs back undone; they count as not delivered. How many were still ours.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> release(std::vector<JobRef> jobs,
                                                                        async::TimePoint deadline);

    /// Says good-bye, so that nobody counts on this worker any more.
    [[nodiscard]] boost::asio::awaitable<Status> leave(async::TimePoint deadline);

    [[nodiscard]] const Keys& keys() const noexcept { return keys_; }
    [[nodiscard]] const std::string& worker() const noexcept { return worker_; }

  private:
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> count_jobs(
        std::string function, std::vector<JobRef> jobs, async::TimePoint deadline);

    redis::FunctionLibrary& functions_;
    Keys keys_;
    std::string worker_;
};

}  // namespace evalfleet::queue
