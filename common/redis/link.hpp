#pragma once

#include "common/async/clock.hpp"
#include "common/redis/backoff.hpp"
#include "common/redis/config.hpp"
#include "common/redis/connection.hpp"
#include "common/redis/endpoint_resolver.hpp"
#include "common/redis/metrics.hpp"
#include "common/redis/state.hpp"
#include "common/redis/switchboard.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <random>

namespace evalfleet::redis {

/// Keeps a connection up: connects, carries bytes between it and the switchboard, notices when the
/// peer is dead, and after a pause that grows connects again. All functions run on the client's
/// strand; what the constructor refers to must outlive the link.
class Link {
  public:
    Link(async::Clock& clock, const Config& config, EndpointResolver& resolver,
         std::mt19937_64& random, Switchboard& switchboard, StateBoard& state,
         MetricsCounter& metrics);

    /// Never returns. Cancelled: closes the connection and throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> keep_up();

  private:
    /// Uses the connection until it fails, and says why.
    [[nodiscard]] boost::asio::awaitable<Error> serve(Connection& connection);

    // The roles of `serve`. Each ends only when the connection is of no use any more, after
    // setting cause_.
    [[nodiscard]] boost::asio::awaitable<void> read(Connection& connection);
    [[nodiscard]] boost::asio::awaitable<void> write(Connection& connection);
    [[nodiscard]] boost::asio::awaitable<void> watch_health();

    [[nodiscard]] Status take_in(Reply reply);

    async::Clock& clock_;
    const Config& config_;
    EndpointResolver& resolver_;
    std::mt19937_64& random_;
    Switchboard& switchboard_;
    StateBoard& state_;
    MetricsCounter& metrics_;
    Backoff backoff_;

    // Of the current connection.
    async::TimePoint heard_at_{};    // when bytes came last
    std::optional<Error> farewell_;  // set: write nothing more, leave when all is answered
    std::optional<Error> cause_;     // why it ended; the first one counts
};

}  // namespace evalfleet::redis
