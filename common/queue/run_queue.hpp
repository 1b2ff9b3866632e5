#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/queue/types.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <unordered_set>
#include <vector>

namespace evalfleet::queue {

/// The queue as the coordinator of one run uses it. Every call carries the coordinator's epoch; one
/// that a later coordinator has fenced fails as `lease_lost`, one that Redis has forgotten (it
/// lost its data) as `not_found`: then `own` puts the run back and an audit its jobs.
///
/// Every call can be repeated when it failed as `transient` or `timeout`. All may be made from any
/// thread; other errors and cancellation are those of `redis::Client::execute`.
class RunQueue {
  public:
    RunQueue(redis::Client& client, redis::FunctionLibrary& functions, Keys keys, std::string run,
             std::uint64_t epoch);

    /// Takes the run over, or puts it back.
    [[nodiscard]] boost::asio::awaitable<Status> own(RunTerms terms, async::TimePoint deadline);

    /// Puts jobs into the window until it holds `max_jobs`.
    [[nodiscard]] boost::asio::awaitable<Result<Enqueued>> enqueue(std::vector<NewJob> jobs,
                                                                   std::uint64_t max_jobs,
                                                                   async::TimePoint deadline);

    /// Up to `count` results that wait, from the oldest on; none if none came within `patience`.
    /// Nothing is taken away: what was read and not acknowledged is read again. Goes over
    /// `blocking`, a client of the caller's own whose other commands would have to wait.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<RunResult>>> results(
        redis::Client& blocking, std::size_t count, std::chrono::milliseconds patience,
        async::TimePoint deadline);

    /// Removes results that are in the durable log.
    [[nodiscard]] boost::asio::awaitable<Status> acknowledge(std::vector<std::string> ids,
                                                             async::TimePoint deadline);

    /// Those of the jobs that are not in the window.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::uint64_t>>> absent(
        std::vector<std::uint64_t> indexes, async::TimePoint deadline);

    /// If the oldest result is larger than that, so that no answer could hold it, it becomes one of
    /// kind dead that says so. How many did.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> cut_result(
        std::uint64_t max_bytes, async::TimePoint deadline);

    /// All jobs that are in the window, in no order, read about `slice` at a time: one that comes
    /// or goes meanwhile may be missing. Redis goes through their payloads for it.
    [[nodiscard]] boost::asio::awaitable<Result<std::unordered_set<std::uint64_t>>> present(
        async::TimePoint deadline, std::size_t slice = 100);

    /// The jobs in the list of those that are ready, read in slices: one that comes or goes
    /// meanwhile, or moves up, may be missing.
    [[nodiscard]] boost::asio::awaitable<Result<std::unordered_set<std::uint64_t>>> ready(
        async::TimePoint deadline);

    /// Those of the jobs that are in the window and neither leased nor delayed.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::uint64_t>>> unheld(
        std::vector<std::uint64_t> indexes, async::TimePoint deadline);

    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> remove(
        std::vector<std::uint64_t> indexes, async::TimePoint deadline);

    /// Makes those of the jobs ready that are unheld. How many were.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> mend(
        std::vector<std::uint64_t> indexes, async::TimePoint deadline);

    /// How many jobs waited to be handed out until then. `denied` if the run was cancelled or is
    /// done.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> set_state(
        RunState state, async::TimePoint deadline);

    [[nodiscard]] const std::string& run() const noexcept { return run_; }
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  private:
    [[nodiscard]] std::vector<std::string> arguments() const;
    [[nodiscard]] boost::asio::awaitable<Result<redis::Reply>> call(
        std::string function, std::vector<std::string> arguments, async::TimePoint deadline);
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::uint64_t>>> call_for_indexes(
        std::string function, std::vector<std::uint64_t> indexes, async::TimePoint deadline);
    [[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> call_for_count(
        std::string function, std::vector<std::string> arguments, async::TimePoint deadline);

    redis::Client& client_;
    redis::FunctionLibrary& functions_;
    Keys keys_;
    std::string run_;
    std::uint64_t epoch_;
};

/// The word for a state in Redis.
[[nodiscard]] std::string_view to_string(RunState state) noexcept;

}  // namespace evalfleet::queue
