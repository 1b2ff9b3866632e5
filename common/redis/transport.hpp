#pragma once

#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace evalfleet::redis {

/// An open byte stream to a server, over TCP, TLS or a unix socket; its user need not know which.
///
/// Everything runs on the caller's executor, which must be a strand. One read and one write may be
/// under way at the same time. Cancelled: throws operation_aborted, and the stream is of no use any
/// more. Errors are `transient` for a network that failed, `tls` for a peer that is not trusted or
/// does not trust us.
class Transport {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    /// Looks the name up, connects, and greets over TLS if `tls` is given.
    [[nodiscard]] static boost::asio::awaitable<Result<std::unique_ptr<Transport>>> open(
        Endpoint endpoint, std::optional<TlsConfig> tls);

    explicit Transport(Socket socket) : socket_(std::move(socket)) {}
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// How many bytes came, at least one. `buffer` must live until it completes.
    [[nodiscard]] boost::asio::awaitable<Result<std::size_t>> read_some(
        boost::asio::mutable_buffer buffer);

    /// Writes all of `buffer`, which must live until it completes.
    [[nodiscard]] boost::asio::awaitable<Status> write(boost::asio::const_buffer buffer);

  private:
    [[nodiscard]] boost::asio::awaitable<Status> start_tls(std::string server_name,
                                                           boost::asio::ssl::context context);

    Socket socket_;
    std::optional<boost::asio::ssl::context> context_;  // outlives tls_
    std::optional<boost::asio::ssl::stream<Socket&>> tls_;
};

}  // namespace evalfleet::redis
