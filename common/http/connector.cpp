#include "common/http/connector.hpp"

#include "common/async/deadline.hpp"
#include "common/http/input_buffer.hpp"
#include "common/http/message_parser.hpp"
#include "common/http/request_head.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxProxyHeaderBytes = 16 * 1024;

// For an address that never answers, when the caller set no deadline and others are left to try.
constexpr std::chrono::seconds kLongestShare{10};

/// This address's part of the time that is left for `count` addresses.
async::TimePoint share(async::TimePoint now, async::TimePoint deadline, std::size_t count) {
    if (count <= 1) return deadline;
    const async::TimePoint latest = now + kLongestShare;
    if (deadline == async::kNever) return latest;
    return std::min(now + (deadline - now) / static_cast<long>(count), latest);
}

/// A model may think for minutes without a byte: boxes on the way must not take the connection for
/// dead, and a peer that is must be found out. What the system refuses is done without.
void keep_alive(int socket) {
    constexpr int kOn = 1;
    constexpr int kSeconds = 60;  // until the first probe, and between them
    constexpr int kProbes = 5;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof(kOn));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kSeconds, sizeof(kSeconds));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kSeconds, sizeof(kSeconds));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof(kProbes));
}

Status judge_tunnel(const MessageHead& head) {
    if (head.status / 100 == 2) return {};
    const ErrorKind kind =
        head.status == 407 || head.status == 403 ? ErrorKind::denied : ErrorKind::transient;
    return Error{kind, "proxy refused the tunnel with status " + std::to_string(head.status)};
}

}  // namespace

Connector::Connector(const asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver,
                     asio::ssl::context& tls, std::string user_agent)
    : executor_(executor),
      clock_(clock),
      resolver_(resolver),
      tls_(tls),
      user_agent_(std::move(user_agent)) {}

asio::awaitable<Result<Stream>> Connector::connect(const Url& url, const Url* proxy,
                                                   TlsSession resume, async::TimePoint deadline) {
    auto stream = co_await dial(proxy != nullptr ? *proxy : url, deadline);
    if (!stream) co_return stream.error();
    if (url.scheme == Scheme::http) co_return stream;
    if (proxy != nullptr) {
        const Status opened = co_await open_tunnel(*stream, url, *proxy);
        if (!opened) co_return opened.error();
    }
    const Status secured = co_await stream->handshake_as_client(tls_, url.host, std::move(resume));
    if (!secured) co_return secured.error();
    co_return stream;
}

asio::awaitable<Result<Stream>> Connector::dial(const Url& server, async::TimePoint deadline) {
    const auto addresses = co_await resolver_.resolve(server.host);
    if (!addresses) co_return addresses.error();
    Result<Stream> stream = Error{ErrorKind::not_found, "no address of " + server.host};
    for (std::size_t i = 0; i < addresses->size(); ++i) {
        const auto until = share(clock_.now(), deadline, addresses->size() - i);
        auto attempt = dial_address((*addresses)[i], server.port);
        // The last one has until the caller's own deadline.
        const bool is_last = i + 1 == addresses->size();
        stream = co_await async::with_deadline(clock_, is_last ? async::kNever : until,
                                               std::move(attempt));
        if (stream) break;
    }
    if (!stream) co_return stream.error().within("connecting to " + server.host_and_port());
    co_return stream;
}

asio::awaitable<Result<Stream>> Connector::dial_address(Address address, std::uint16_t port) {
    asio::ip::tcp::socket socket(executor_);
    const auto [code] =
        co_await socket.async_connect({address, port}, asio::as_tuple(asio::use_awaitable));
    if (code == asio::error::operation_aborted) throw boost::system::system_error(code);
    if (code) co_return Error{ErrorKind::transient, code.message()};
    boost::system::error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    keep_alive(socket.native_handle());
    co_return Stream(Stream::Socket(std::move(socket)), clock_);
}

asio::awaitable<Status> Connector::open_tunnel(Stream& stream, const Url& url, const Url& proxy) {
    const std::string request = format_connect(url, proxy, user_agent_);
    if (const Status sent = co_await stream.write(request); !sent) {
        co_return sent.error().within("proxy");
    }
    MessageParser parser(MessageKind::response, kMaxProxyHeaderBytes);
    parser.expect_no_body();
    InputBuffer input(kMaxProxyHeaderBytes);
    while (!parser.is_done()) {
        const auto space = input.prepare();
        const auto arrival = co_await stream.read_some(space.data, space.size);
        if (!arrival) co_return arrival.error().within("proxy");
        if (arrival->bytes == 0)
            co_return Error{ErrorKind::transient, "proxy closed the connection"};
        input.commit(arrival->bytes);
        const auto used = parser.feed(input.data());
        if (!used) co_return used.error().within("proxy");
        input.consume(*used);
    }
    if (!input.empty()) co_return Error{ErrorKind::invalid, "proxy sent more than its answer"};
    co_return judge_tunnel(parser.head());
}

}  // namespace evalfleet::http
