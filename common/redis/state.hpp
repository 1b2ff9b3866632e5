#pragma once

#include "common/async/clock.hpp"
#include "common/async/waiter.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace evalfleet::redis {

/// How a client's connection stands at a moment.
struct ConnectionState {
    enum class Phase {
        waiting,     ///< not connected: before `run()`, or until the next attempt
        connecting,  ///< an attempt is under way
        ready,       ///< commands are sent
        stopped,     ///< `run()` has ended
    };

    Phase phase = Phase::waiting;
    std::optional<Error> last_error;  ///< why the last attempt or connection failed, also later on
    std::uint64_t connects = 0;       ///< how often it became ready; reconnects are one less
    std::uint64_t version = 0;        ///< grows with every change
};

[[nodiscard]] std::string_view to_string(ConnectionState::Phase phase) noexcept;

/// Where the state is posted for everybody to see, from any thread.
class StateBoard {
  public:
    [[nodiscard]] ConnectionState read() const;

    /// The state as soon as its version is not `seen`: at once if it has changed already. Changes
    /// that follow quickly may be seen as one. Cancelled: throws operation_aborted. The caller's
    /// executor must be a strand or run on one thread.
    [[nodiscard]] boost::asio::awaitable<ConnectionState> changed_since(std::uint64_t seen);

    /// See `Client::ready`.
    [[nodiscard]] boost::asio::awaitable<Status> ready(async::Clock& clock,
                                                       async::TimePoint deadline);

    /// Posts a new phase; `error`, if there is one, replaces the last.
    void post(ConnectionState::Phase phase, std::optional<Error> error = std::nullopt);

  private:
    [[nodiscard]] boost::asio::awaitable<Status> wait_for_change(std::uint64_t seen);

    mutable std::mutex mutex_;  // guards the members below
    ConnectionState state_;
    std::vector<std::shared_ptr<async::Waiter>> waiters_;  // for the next change
};

}  // namespace evalfleet::redis
