#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/async/notifier.hpp"
#include "common/log/logger.hpp"
#include "coordinator/runs/leader_watch.hpp"
#include "coordinator/store/store_lock.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace evalfleet::runs {

/// The store was taken from this coordinator: it must not write any more, and the process ends.
class Deposed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Whether this coordinator may touch the store. One leads and holds the lock; any others wait as
/// standbys and take over when the lock is free. A leader that lives but gives no sign of life (it
/// is stopped, or hangs) is ended first, if it can be: it is never written beside.
///
/// Runs on one executor, the caller's; files are touched on a thread of its own, so that a
/// heartbeat never waits behind a run's files.
class Leadership {
  public:
    struct Config {
        std::filesystem::path store;
        std::string address;  ///< where this coordinator listens, told to standbys
        std::chrono::milliseconds interval{1'000};  ///< of heartbeats and looks
        /// A leader that is silent for so long is ended. 0: it is waited for, whatever it takes.
        std::chrono::milliseconds takeover_after{15'000};
    };

    Leadership(Config config, async::Clock& clock, log::Logger logger);

    /// One try, for the start. Throws std::runtime_error if the store cannot be used.
    [[nodiscard]] bool blocking_try();

    /// Returns when this coordinator leads. Throws std::runtime_error if the store cannot be used.
    /// Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> acquire();

    /// Returns when `acquire()` or `blocking_try()` made this coordinator the leader.
    [[nodiscard]] boost::asio::awaitable<void> await_lead();

    /// Gives signs of life; never returns. Throws Deposed. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> hold();

    /// To be told before the lock is taken.
    void set_address(std::string address) { config_.address = std::move(address); }

    [[nodiscard]] bool leads() const noexcept { return lock_.has_value(); }

    /// For people: whom a standby waits for.
    [[nodiscard]] std::string note() const;

  private:
    using Taken = Result<std::optional<store::StoreLock>>;

    [[nodiscard]] bool take(Taken taken);
    [[nodiscard]] boost::asio::awaitable<void> look();

    Config config_;
    async::Clock& clock_;
    log::Logger logger_;
    async::BlockingPool pool_{{.threads = 1, .max_queued = 16, .name = "leadership"}};
    std::optional<store::StoreLock> lock_;
    LeaderWatch watch_;
    async::Notifier taken_;
    std::string blocked_reason_;  // why a silent leader cannot be ended
};

}  // namespace evalfleet::runs
