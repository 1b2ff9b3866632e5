#pragma once

#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// A TLS session that a later connection to the same server may resume.
using TlsSession = std::shared_ptr<void>;

/// A connection as both client and server see it: bytes in, bytes out, over TCP, a unix socket or
/// TLS on top of either. Hides from everything above which of them it is.
///
/// One coroutine may read while another writes, both on the same strand; the stream may move from
/// strand to strand when nothing is under way. Every operation throws operation_aborted when it is
/// cancelled; a cancelled read has lost no bytes and may be repeated, after anything else only
/// `close()` and the destructor are of use. Failures are `transient` (reset, cut), `tls`, or
/// `internal`.
class Stream {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    /// What a read brought, and when: as the kernel stamped the last packet of it, or, where it
    /// does not, when it was read.
    struct Arrival {
        std::size_t bytes = 0;  ///< 0: the other side ended the stream in good order
        async::TimePoint at{};
        bool is_stamped = false;  ///< by the kernel
    };

    Stream() noexcept;  ///< not connected; only to be assigned to
    Stream(Socket socket, const async::Clock& clock);
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;
    ~Stream();

    /// Turns this into a TLS connection to `host`, whose certificate must be good for that name. Of
    /// one that is a TLS connection already, to a proxy, what it carries becomes one.
    [[nodiscard]] boost::asio::awaitable<Status> handshake_as_client(
        boost::asio::ssl::context& context, std::string host, TlsSession resume);

    [[nodiscard]] boost::asio::awaitable<Status> handshake_as_server(
        boost::asio::ssl::context& context);

    /// Waits for at least one byte. `space` must stay valid until then.
    [[nodiscard]] boost::asio::awaitable<Result<Arrival>> read_some(char* space, std::size_t size);

    /// Writes both pieces whole, one after the other. They must stay valid until then.
    [[nodiscard]] boost::asio::awaitable<Status> write(std::string_view first,
                                                       std::string_view second = {});

    /// Says goodbye so that the other side surely gets what was written before: ends our direction
    /// and reads on, for a bounded amount, until the other side ends its own. (To close with unread
    /// bytes makes the kernel send a reset, which may overtake the last answer.)
    [[nodiscard]] boost::asio::awaitable<Status> finish();

    /// False if the other side closed the connection, or sent something that nobody asked for.
    /// Does not wait. Only meaningful on a connection with nothing under way.
    [[nodiscard]] bool is_quiet();

    /// Empty if there is none or it cannot be resumed.
    [[nodiscard]] TlsSession session() const;

    /// The shortest round trip to whoever is at the other end of the socket, a proxy if there is
    /// one; 0 where the kernel does not know it.
    [[nodiscard]] async::Duration round_trip() const;

    /// What waits for bytes, or to write some, throws operation_aborted.
    void cancel() noexcept;

    void close() noexcept;

    /// Closes with a reset: what is on its way may be lost, and the other side sees an error.
    void reset() noexcept;

  private:
    struct Layers;
    std::unique_ptr<Layers> layers_;
};

}  // namespace evalfleet::http
