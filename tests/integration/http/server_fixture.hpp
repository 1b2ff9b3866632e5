#pragma once

#include "common/async/clock.hpp"
#include "common/http/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::http {

/// A server on a thread of its own, for clients that block.
class RunningServer {
  public:
    explicit RunningServer(Router router, ServerConfig config = {}, async::Clock* clock = nullptr,
                           ServerObserver* observer = nullptr);
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;
    ~RunningServer();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string url(const std::string& path) const;
    [[nodiscard]] std::size_t count_connections();

    /// Begins a graceful close; returns at once.
    void begin_close(async::Duration patience);
    /// Until `run()` has returned.
    void blocking_join();

  private:
    async::SystemClock system_clock_;
    async::Clock& clock_;
    bool is_tls_;
    boost::asio::io_context context_{1};
    Server server_;
    std::uint16_t port_ = 0;
    std::exception_ptr failure_;
    std::thread thread_;
};

/// A client made of nothing but a socket, that can be as rude as a test needs it.
class RawClient {
  public:
    explicit RawClient(std::uint16_t port);
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient();

    void send(const std::string& bytes);
    /// One complete response with a Content-Length, head and body.
    [[nodiscard]] std::string read_response();
    /// Until `text` has come or the connection ended; what came up to and with it.
    [[nodiscard]] std::string read_until(const std::string& text);
    /// Everything until the server closes.
    [[nodiscard]] std::string read_to_end();
    void close();

  private:
    bool read_more();

    int socket_ = -1;
    std::string unread_;
};

}  // namespace evalfleet::http
