#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/fair_turns.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace evalfleet::async {

/// Throws operation_aborted if the work is to stop. For the loops of heavy work.
void throw_if_stopped(const std::stop_token& stop);

/// Asks for a stop when the coroutine it is made in is cancelled.
class StopOnCancel {
  public:
    explicit StopOnCancel(boost::asio::cancellation_state state);
    ~StopOnCancel();
    StopOnCancel(const StopOnCancel&) = delete;
    StopOnCancel& operator=(const StopOnCancel&) = delete;

    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  private:
    std::stop_source source_;
    boost::asio::cancellation_slot slot_;
};

/// Threads for work that takes seconds or minutes, apart from those that others wait for. A few at
/// once, in fair turns between owners, and one place at least that large work never takes, so that
/// what is small does not wait for minutes. Its threads give way to all others (nice).
class HeavyPool {
  public:
    struct Config {
        std::size_t threads = 3;
        std::size_t large_at_once = 2;
        std::string name = "heavy";
    };

    /// From so many bytes on that are to be read or written, work is large: about a second.
    static constexpr std::uint64_t kLargeBytes = std::uint64_t{64} * 1024 * 1024;

    struct Job {
        std::string owner;        ///< a run's id, say
        std::uint64_t bytes = 0;  ///< that are read or written, about
    };

    explicit HeavyPool(Config config);

    /// Runs `work()` or `work(std::stop_token)` as BlockingPool::run does. Cancelled: throws
    /// operation_aborted; work that has begun is asked to stop, and waited for.
    template <class Work>
    [[nodiscard]] auto run(Job job, Work work) {
        if constexpr (std::is_invocable_v<Work&, std::stop_token>)
            return run_stoppable(std::move(job), std::move(work));
        else
            return run_stoppable(
                std::move(job),
                [work = std::move(work)](const std::stop_token&) mutable { return work(); });
    }

  private:
    template <class Work>
    [[nodiscard]] boost::asio::awaitable<std::invoke_result_t<Work&, std::stop_token>>
    run_stoppable(Job job, Work work) {
        TurnClaim claim{std::move(job.owner), job.bytes >= kLargeBytes};
        const FairTurns::Turn turn = co_await turns_.acquire(std::move(claim));
        const StopOnCancel stop(co_await boost::asio::this_coro::cancellation_state);
        auto whole = [&work, token = stop.token()] { return work(token); };
        co_return co_await threads_.run(std::move(whole));
    }

    FairTurns turns_;
    BlockingPool threads_;
};

}  // namespace evalfleet::async
