#pragma once

#include "common/async/clock.hpp"
#include "common/async/semaphore.hpp"
#include "common/http/input_buffer.hpp"
#include "common/http/stream.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::http {

/// A stream and what was read from it but not used.
struct Connection {
    explicit Connection(Stream connected) : stream(std::move(connected)) {}

    Stream stream;
    InputBuffer input{0};  ///< sized by the exchange that uses it
    async::TimePoint idle_since{};
};

/// Keeps connections between requests and bounds how many there are to one place. Whoever wants to
/// use one holds a `Slot`; slots are given first come, first served. Connections that are not given
/// back in good order are closed: a broken one is never seen again.
///
/// Safe to use from any thread; must outlive its slots.
class ConnectionPool {
  public:
    struct Config {
        std::size_t max_connections_per_host = 1024;
        std::size_t max_idle_per_host = 1024;
        std::size_t max_hosts = 256;
        std::chrono::seconds idle_timeout{60};
    };

  private:
    struct Host;

  public:
    /// The right to have one connection to one host; move-only.
    class Slot {
      public:
        Slot() = default;

        /// An idle connection that still looks alive, the last used first; null if there is none.
        [[nodiscard]] std::unique_ptr<Connection> take_idle();

        /// Keeps the connection for the next one. Only after a complete exchange.
        void give_back(std::unique_ptr<Connection> connection);

        /// The TLS session of an earlier connection to this host, if there is one.
        [[nodiscard]] TlsSession session() const;

      private:
        friend class ConnectionPool;
        Slot(ConnectionPool& pool, Host& host, async::Semaphore::Permit permit)
            : pool_(&pool), host_(&host), permit_(std::move(permit)) {}

        ConnectionPool* pool_ = nullptr;
        Host* host_ = nullptr;
        async::Semaphore::Permit permit_;
    };

    ConnectionPool(const async::Clock& clock, Config config);
    ~ConnectionPool();

    /// How long connections to a host may be idle; none: as long as to any.
    using IdleTimeout = std::optional<std::chrono::milliseconds>;

    /// Waits while all slots of the host named `key` are taken. Errors: too_large (too many hosts).
    /// Cancelled: throws operation_aborted, no slot is lost.
    [[nodiscard]] boost::asio::awaitable<Result<Slot>> acquire(std::string key,
                                                               IdleTimeout idle_timeout = {});

    /// A slot if one is free now.
    [[nodiscard]] Result<std::optional<Slot>> try_acquire(const std::string& key,
                                                          IdleTimeout idle_timeout = {});

    /// Closes what has been idle for too long. (Taking a connection looks at its age as well.)
    void close_old_idle();

    [[nodiscard]] std::size_t count_idle() const;

  private:
    [[nodiscard]] Result<Host*> host(const std::string& key, IdleTimeout idle_timeout);

    const async::Clock& clock_;
    Config config_;
    mutable std::mutex mutex_;  // guards hosts_ and, in each host, idle and session
    std::map<std::string, std::unique_ptr<Host>> hosts_;  // never shrinks: slots refer to them
};

}  // namespace evalfleet::http
