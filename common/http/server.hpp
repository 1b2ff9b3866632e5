#pragma once

#include "common/async/clock.hpp"
#include "common/http/router.hpp"
#include "common/http/tls.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

struct ServerConfig {
    std::string host = "127.0.0.1";     ///< address or name to listen on
    std::uint16_t port = 0;             ///< 0: any free one, see `Server::port()`
    bool share_port = false;            ///< with other servers of the same process or user
    std::filesystem::path unix_path{};  ///< if set, a unix socket instead; an old one is replaced
    std::optional<TlsServerConfig> tls{};  ///< empty: plain HTTP

    /// Beyond it the connection that has kept us waiting longest is closed in favour of a new one:
    /// for a handshake, a request, the rest of one, or room to write. If none waits, a few more may
    /// ask for probes (`RouteOptions::is_probe`); anything else, and all others, get a 503.
    std::size_t max_connections = 10'000;
    std::size_t max_header_bytes = 32 * 1024;

    // A connection that is too slow is ended up to half a second later than these say.
    std::chrono::milliseconds handshake_timeout{10'000};  ///< TLS
    std::chrono::milliseconds header_timeout{10'000};     ///< a request's head, from its first byte
    std::chrono::milliseconds idle_timeout{75'000};       ///< between two requests

    /// Stand in every reply that does not have them itself, refusals included.
    Headers reply_headers{};

    /// A body, or what we write, may take `transfer_grace` and a second for each so many bytes.
    std::chrono::milliseconds transfer_grace{20'000};
    std::uint64_t min_bytes_per_second = 1024;
};

/// What one request came to, for metrics and access logs.
struct RequestReport {
    std::string_view route;   ///< the pattern, or "unmatched": few different values
    std::string_view method;  ///< or "OTHER"
    int status = 0;
    async::Duration duration{};        ///< from the end of its head to the end of its reply
    std::uint64_t received_bytes = 0;  ///< of the body
    std::uint64_t sent_bytes = 0;      ///< of the body
    std::string_view request_id;
    std::string_view peer;
};

/// Is told what a server does. Runs on the server's executor; must not block or throw.
class ServerObserver {
  public:
    virtual ~ServerObserver() = default;
    virtual void on_request(const RequestReport&) {}
    virtual void on_connection_opened() {}
    virtual void on_connection_closed() {}
    virtual void on_connection_refused() {}  ///< there were too many
    /// A handler threw; the client got a 500.
    virtual void on_handler_exception(std::string_view /*route*/, std::string_view /*request_id*/,
                                      const std::exception_ptr&) {}
};

/// Serves HTTP/1.1 to clients that may be slow, broken or hostile: everything that a client can
/// stretch has a bound in size and in time.
///
/// Use: `listen()`, then `run()` for as long as it shall serve, then `close()`:
///
///     Server server(executor, clock, config, router);
///     if (auto bound = server.listen(); !bound) return bound;
///     co_await server.run();
///
/// Threads: `executor` must be a strand or run on one thread; everything, handlers included, runs
/// on it, and every function must be called on it. A handler that computes for long hands that to
/// an async::BlockingPool.
class Server {
  public:
    /// Throws std::runtime_error on certificate files that cannot be used. `observer` may be null.
    Server(const boost::asio::any_io_executor& executor, async::Clock& clock, ServerConfig config,
           Router router, ServerObserver* observer = nullptr);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// Binds and listens; from now on clients may connect. Looks a host name up, and so may block.
    [[nodiscard]] Status listen();

    /// After `listen()`; 0 for a unix socket.
    [[nodiscard]] std::uint16_t port() const;

    /// Accepts and serves until `close()` has done its work, or until cancelled: that ends every
    /// connection at once and throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Takes no connection and no further request, lets those under way end until `deadline`, then
    /// ends them. To be awaited beside `run()`.
    [[nodiscard]] boost::asio::awaitable<void> close(async::TimePoint deadline);

    [[nodiscard]] std::size_t count_connections() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace evalfleet::http
