#pragma once

#include "common/async/clock.hpp"
#include "common/redis/command.hpp"
#include "common/redis/config.hpp"
#include "common/redis/convert.hpp"
#include "common/redis/endpoint_resolver.hpp"
#include "common/redis/metrics.hpp"
#include "common/redis/reply.hpp"
#include "common/redis/state.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// Lets any number of coroutines, on any threads, talk to a redis-server over one connection that
/// keeps itself up. Commands that are issued at about the same time share a write; replies come
/// back in order to whoever asked.
///
/// `run()` is the client's working life: commands wait until it connects, and when it is cancelled
/// they all fail as `cancelled`. Await it first thing, next to whatever uses the client.
///
/// A blocking command (BLPOP, XREAD BLOCK) holds up every command behind it: give it a second
/// client of its own, with `Config::longest_block` set.
///
/// The client must outlive `run()` and every call. The executor may have several threads; the
/// client makes a strand of its own.
class Client {
  public:
    /// `config` must be valid (`validate`), or std::invalid_argument is thrown. `resolver` names
    /// the server before each attempt; empty: what `config` says. `random` jitters the back-off.
    Client(const boost::asio::any_io_executor& executor, async::Clock& clock, Config config,
           std::unique_ptr<EndpointResolver> resolver = nullptr,
           std::mt19937_64 random = std::mt19937_64(std::random_device{}()));
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client();

    /// Connects, and connects again whenever the connection is lost. Never returns; may be called
    /// once, on any strand or thread. Cancelled: closes the connection, fails all pending commands
    /// as `cancelled`, then throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Sends a command and awaits its reply. An error reply is an error (server_error.hpp).
    ///
    /// - Deadlines are kept while `run()` runs. `timeout`: the command may or may not have run, the
    ///   message says if it was never sent.
    /// - `transient`: the connection was lost after the command was sent, so it may have run; or
    ///   the server said "not now". A command that was not sent waits for the next connection.
    /// - `rate_limited`: too much is pending (`Multiplexer::Limits`); it was not sent.
    /// - Cancelled: throws operation_aborted; the reply, if one comes, is dropped.
    [[nodiscard]] boost::asio::awaitable<Result<Reply>> execute(Command command,
                                                                async::TimePoint deadline);

    /// The same, converted.
    template <class T>
    [[nodiscard]] boost::asio::awaitable<Result<T>> execute_as(Command command,
                                                               async::TimePoint deadline) {
        Result<Reply> reply = co_await execute(std::move(command), deadline);
        if (!reply) co_return reply.error();
        co_return as<T>(std::move(*reply));
    }

    /// Sends commands one right behind the other and awaits all their replies, error replies
    /// included: one that fails does not stop the others. Other commands may run in between (use
    /// MULTI or a function for atomic steps). Otherwise as `execute`; none is `invalid`.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<Reply>>> pipeline(
        std::vector<Command> commands, async::TimePoint deadline);

    /// Completes when the connection is ready. Returns at once why not if the server refuses us
    /// (`denied`, `tls`, `invalid`), since waiting does not help; `timeout` with the last error at
    /// the deadline; `cancelled` if the client has stopped. Cancelled: throws operation_aborted.
    /// The caller's executor must be a strand or run on one thread.
    [[nodiscard]] boost::asio::awaitable<Status> ready(async::TimePoint deadline);

    /// The connection at this moment. From any thread.
    [[nodiscard]] ConnectionState state() const;

    /// The state as soon as its version is not `seen_version`. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<ConnectionState> state_changed(std::uint64_t seen_version);

    /// From any thread.
    [[nodiscard]] ClientMetrics metrics() const;

  private:
    class Core;

    [[nodiscard]] boost::asio::awaitable<Result<std::vector<Reply>>> call(
        std::string wire, std::size_t replies, async::TimePoint deadline);

    std::shared_ptr<Core> core_;
};

}  // namespace evalfleet::redis
