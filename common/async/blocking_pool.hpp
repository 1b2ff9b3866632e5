#pragma once

#include "common/async/semaphore.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace evalfleet::async {

/// The only threads that may block: for files, slow look-ups, and work heavier than about a
/// millisecond. Everything else stays on the I/O threads, which must never wait.
///
/// At most `max_queued` calls wait or run; further callers wait without blocking their thread.
class BlockingPool {
  public:
    struct Config {
        std::size_t threads = 2;
        std::size_t max_queued = 1024;
        std::string name = "blocking";  ///< of the threads, at most 15 characters
        int niceness = 0;               ///< of the threads: more gives way to others
    };

    explicit BlockingPool(Config config);
    ~BlockingPool();

    /// Runs `work()` on a thread of the pool and returns its value, or rethrows, on the caller's
    /// executor. `work` must not be a coroutine; its value must be default-constructible.
    /// Cancelled while waiting for a free place: throws operation_aborted, `work` is not run. Once
    /// it runs it is not interrupted: the call completes when `work` returned, so `work` may refer
    /// to the caller's variables.
    template <class Work>
    [[nodiscard]] boost::asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
        namespace asio = boost::asio;
        const Semaphore::Permit permit = co_await places_.acquire();
        // Shielded from cancellation: Asio 1.81 passes a cancellation on to another executor by a
        // pointer that may dangle when the work ends at that moment.
        co_return co_await asio::co_spawn(
            pool_, invoke(std::move(work)),
            asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
    }

  private:
    template <class Work>
    static boost::asio::awaitable<std::invoke_result_t<Work&>> invoke(Work work) {
        co_return work();
    }

    boost::asio::thread_pool pool_;
    Semaphore places_;
};

}  // namespace evalfleet::async
