#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::testing {

/// Stands between two programs and does to their connections what a bad network does. Clients
/// connect to `port()`; each connection is carried on to the target. Runs on a thread of its own;
/// all functions may be called from any thread and take effect before they return.
class FaultProxy {
  public:
    /// What becomes of bytes in one direction.
    enum class Flow {
        passes,
        waits,    ///< they arrive when the link is well again: a half-open connection
        vanishes  ///< they never do; the connection is reset once the link is well again
    };
    struct Link {
        std::chrono::milliseconds latency{0};  ///< of every piece, in each direction
        Flow to_server = Flow::passes;
        Flow to_client = Flow::passes;
        bool refuses = false;  ///< new connections are reset
        friend bool operator==(const Link&, const Link&) = default;
    };

    FaultProxy();
    FaultProxy(const FaultProxy&) = delete;
    FaultProxy& operator=(const FaultProxy&) = delete;
    ~FaultProxy();

    /// Where connections are carried to from now on: a path of a unix socket, or a port of the
    /// loopback.
    void carry_to(std::string unix_path);
    void carry_to(std::uint16_t port);

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    void set_link(Link link);
    void heal() { set_link({}); }
    /// Ends every connection with a TCP reset.
    void reset_connections();

    /// Connections on which bytes were late, lost, or cut off; each counts once for every change of
    /// the link, or reset, that hit it. Those that were open without a request count too.
    [[nodiscard]] std::uint64_t count_hits();
    [[nodiscard]] std::size_t count_open();

  private:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Endpoint = boost::asio::generic::stream_protocol::endpoint;
    struct Connection;
    enum class Way { to_server, to_client };

    void perform(const std::function<void()>& action);
    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> serve(std::shared_ptr<Connection> connection);
    boost::asio::awaitable<void> carry(std::shared_ptr<Connection> connection, Way way);
    /// After the latency, and once bytes of that direction do not wait.
    boost::asio::awaitable<Flow> await_flow(Way way);
    [[nodiscard]] Flow flow(Way way) const;
    [[nodiscard]] std::vector<std::shared_ptr<Connection>> open_connections();
    static void reset(Connection& connection);

    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer changed_;  // never ends; is cancelled when the link changes
    std::uint16_t port_ = 0;
    // All below belongs to the thread.
    Endpoint target_;
    Link link_;
    std::vector<std::weak_ptr<Connection>> connections_;
    std::uint64_t hits_ = 0;
    std::thread thread_;
};

}  // namespace evalfleet::testing
