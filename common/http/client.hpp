#pragma once

#include "common/async/clock.hpp"
#include "common/http/body_source.hpp"
#include "common/http/message.hpp"
#include "common/http/proxy.hpp"
#include "common/http/response_stream.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace evalfleet::http {

struct ClientConfig {
    std::size_t max_connections_per_host = 1024;  ///< in use; further calls wait, in order
    std::size_t max_idle_per_host = 1024;
    std::chrono::seconds idle_timeout{60};  ///< an older idle connection is not used again
    std::string user_agent = "evalfleet";
    ProxyConfig proxy{};
    std::filesystem::path ca_file{};           ///< PEM; empty: the system's authorities
    std::filesystem::path certificate_file{};  ///< PEM chain for servers that ask; empty: none
    std::filesystem::path key_file{};          ///< PEM, of that certificate
    std::string name_servers{};  ///< "host:port,host:port"; empty: the system's, as it has them
};

/// Makes HTTP/1.1 calls over kept connections and measures them as close to the socket as it can.
/// One long-lived object serves the whole program.
///
/// Threads: any function may be called from any thread. A call runs on its caller's executor, which
/// must be a strand or run on one thread.
/// Lifetime: must outlive its calls and the streams that it opened.
/// Cancellation: a cancelled call throws operation_aborted and closes its connection; one that
/// waits for a free connection loses its place in the line and nothing else.
/// Errors: `timeout` (the message says in which phase), `transient` (refused, reset, cut, no
/// answer of the name server), `tls`, `not_found` (no such host), `too_large` (header or body),
/// `invalid` (a request that must not be sent, a malformed or a compressed response), `denied` (by
/// the proxy). No message holds a header's value, a body, or the userinfo or query of a URL. A
/// response with a status of 4xx or 5xx is a response, not an error.
class Client {
  public:
    /// `executor` carries the sockets: that of an io_context. Throws std::runtime_error on a
    /// configuration that cannot work (a certificate file that cannot be read, a proxy of a kind
    /// that is not known).
    Client(const boost::asio::any_io_executor& executor, async::Clock& clock, ClientConfig config);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client();

    /// Sends the request and reads the response whole.
    [[nodiscard]] boost::asio::awaitable<Result<Response>> send(Request request, CallLimits limits);

    /// Sends the request and reads the head of the response; the body is then read from the stream.
    [[nodiscard]] boost::asio::awaitable<Result<ResponseStream>> open(Request request,
                                                                      CallLimits limits);

    /// Sends the request with a body that is read as it goes out, on a connection of its own and
    /// never twice; `request.body` must be empty. A server may answer, and refuse, before it has
    /// the whole body. `body` must live until then.
    [[nodiscard]] boost::asio::awaitable<Result<Response>> upload(Request request, BodySource& body,
                                                                  CallLimits limits);

    /// Closes connections that have been idle for too long, until cancelled. The client works
    /// without it too; it then only notices an old connection when it comes across it.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] std::size_t count_idle_connections() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// True for a `timeout` of a call that had no connection yet, so that nothing was sent: whichever
/// deadline it was, the server had no part in it.
[[nodiscard]] bool is_connect_timeout(const Error& error);

/// True if a kept connection turned out to be closed when the request was sent, and the request may
/// not be sent again on its own. The server most likely has not seen it.
[[nodiscard]] bool is_stale_connection(const Error& error);

}  // namespace evalfleet::http
