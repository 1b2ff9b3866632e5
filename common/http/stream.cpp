#include "common/http/stream.hpp"

#include "common/http/round_trip.hpp"
#include "common/http/stamped_socket.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <tuple>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

// How much a peer may still send after we said goodbye, before we stop listening.
constexpr std::size_t kMaxFarewellBytes = 1024 * 1024;

void throw_if_cancelled(const error_code& code) {
    if (code == asio::error::operation_aborted) throw boost::system::system_error(code);
}

Error to_error(const error_code& code, std::string_view doing) {
    const std::string message = std::string(doing) + ": " + code.message();
    const bool from_tls = code.category() == asio::error::get_ssl_category();
    return {from_tls ? ErrorKind::tls : ErrorKind::transient, message};
}

Status to_status(const error_code& code, std::string_view doing) {
    throw_if_cancelled(code);
    if (code) return to_error(code, doing);
    return {};
}

bool is_address(const std::string& host) {
    error_code error;
    static_cast<void>(asio::ip::make_address(host, error));
    return !error;
}

/// How many bytes the kernel took without waiting. Mostly all of them; then the caller goes on at
/// once, instead of after everything else that is ready to run. An error takes nothing: the next
/// write meets it again.
std::size_t write_at_once(Stream::Socket& socket, std::string_view first, std::string_view second) {
    std::array<iovec, 2> pieces{};
    pieces[0] = {const_cast<char*>(first.data()), first.size()};
    pieces[1] = {const_cast<char*>(second.data()), second.size()};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const auto sent = ::sendmsg(socket.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

/// Sets what the certificate must be good for; SNI carries names only (RFC 6066).
bool expect_peer(SSL* handle, const std::string& host) {
    if (is_address(host)) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host.c_str()) == 1;
    }
    SSL_set_hostflags(handle, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // SSL_set_tlsext_host_name is a macro with casts of the old style.
    std::string name = host;
    return SSL_set1_host(handle, host.c_str()) == 1 &&
           SSL_ctrl(handle, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) ==
               1;
}

}  // namespace

struct Stream::Layers {
    Layers(Socket plain, const async::Clock& clock_in) : socket(std::move(plain), clock_in) {}

    Layers(const Layers&) = delete;
    Layers& operator=(const Layers&) = delete;
    ~Layers() {
        // OpenSSL forbids to resume the session of a connection that ends without a farewell. For
        // HTTP, where the length of a message is told apart, that costs much and protects nothing.
        constexpr int kBoth = SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN;
        if (inner) SSL_set_shutdown(inner->native_handle(), kBoth);
        if (tls) SSL_set_shutdown(tls->native_handle(), kBoth);
    }

    [[nodiscard]] Socket::lowest_layer_type& lowest() { return socket.lowest_layer(); }

    StampedSocket socket;
    bool has_written = false;  // since the last read
    using Tls = ssl::stream<StampedSocket&>;
    std::unique_ptr<Tls> tls;                  // on top of it, if it is encrypted
    std::unique_ptr<ssl::stream<Tls&>> inner;  // on top of that: to a server behind a TLS proxy

    /// Of whoever is at the end; there is one.
    [[nodiscard]] SSL* handle() { return inner ? inner->native_handle() : tls->native_handle(); }
};

Stream::Stream(Socket socket, const async::Clock& clock)
    : layers_(std::make_unique<Layers>(std::move(socket), clock)) {}
Stream::Stream() noexcept = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

asio::awaitable<Status> Stream::handshake_as_client(ssl::context& context, std::string host,
                                                    TlsSession resume) {
    const bool is_inner = layers_->tls != nullptr;
    if (is_inner)
        layers_->inner = std::make_unique<ssl::stream<Layers::Tls&>>(*layers_->tls, context);
    else
        layers_->tls = std::make_unique<Layers::Tls>(layers_->socket, context);
    SSL* handle = layers_->handle();
    if (!expect_peer(handle, host)) {
        co_return Error{ErrorKind::internal, "TLS: cannot set up the verification of " + host};
    }
    if (resume) SSL_set_session(handle, static_cast<SSL_SESSION*>(resume.get()));
    std::tuple<error_code> outcome;
    if (is_inner)
        outcome = co_await layers_->inner->async_handshake(ssl::stream_base::client, kAwait);
    else
        outcome = co_await layers_->tls->async_handshake(ssl::stream_base::client, kAwait);
    const error_code code = std::get<0>(outcome);
    const long verdict = SSL_get_verify_result(handle);
    if (code && verdict != X509_V_OK) {
        throw_if_cancelled(code);
        co_return Error{ErrorKind::tls, "TLS handshake with " + host + ": " +
                                            X509_verify_cert_error_string(verdict)};
    }
    co_return to_status(code, "TLS handshake with " + host);
}

asio::awaitable<Status> Stream::handshake_as_server(ssl::context& context) {
    layers_->tls = std::make_unique<ssl::stream<StampedSocket&>>(layers_->socket, context);
    const auto [code] = co_await layers_->tls->async_handshake(ssl::stream_base::server, kAwait);
    co_return to_status(code, "TLS handshake");
}

asio::awaitable<Result<Stream::Arrival>> Stream::read_some(char* space, std::size_t size) {
    const asio::mutable_buffer buffer(space, size);
    StampedSocket& socket = layers_->socket;
    StampedSocket::Received received;
    if (layers_->inner) {
        const auto [code, bytes] = co_await layers_->inner->async_read_some(buffer, kAwait);
        received = {bytes, code};
    } else if (layers_->tls) {
        const auto [code, bytes] = co_await layers_->tls->async_read_some(buffer, kAwait);
        received = {bytes, code};
    } else {
        // The answer to what was written a moment ago is not there yet.
        received = {0, asio::error::would_block};
        if (!std::exchange(layers_->has_written, false)) received = socket.receive(buffer);
        while (received.code == asio::error::would_block) {
            const auto [code] = co_await socket.socket().async_wait(Socket::wait_read, kAwait);
            throw_if_cancelled(code);
            if (code) co_return to_error(code, "reading");
            received = socket.receive(buffer);
        }
    }
    throw_if_cancelled(received.code);
    const Arrival arrival{received.bytes, socket.last_arrival(), socket.is_stamped()};
    if (received.code == asio::error::eof) co_return Arrival{0, arrival.at, arrival.is_stamped};
    if (received.code) co_return to_error(received.code, "reading");
    co_return arrival;
}

asio::awaitable<Status> Stream::write(std::string_view first, std::string_view second) {
    if (!layers_->tls) {
        layers_->has_written = true;
        const std::size_t taken = write_at_once(layers_->socket.socket(), first, second);
        if (taken == first.size() + second.size()) co_return Status{};
        second.remove_prefix(taken > first.size() ? taken - first.size() : 0);
        first.remove_prefix(std::min(taken, first.size()));
    }
    const std::array buffers{asio::buffer(first), asio::buffer(second)};
    std::tuple<error_code, std::size_t> outcome;
    if (layers_->inner) {
        outcome = co_await asio::async_write(*layers_->inner, buffers, kAwait);
    } else if (layers_->tls) {
        outcome = co_await asio::async_write(*layers_->tls, buffers, kAwait);
    } else {
        outcome = co_await asio::async_write(layers_->socket.socket(), buffers, kAwait);
    }
    co_return to_status(std::get<0>(outcome), "writing");
}

asio::awaitable<Status> Stream::finish() {
    if (layers_->tls) {
        const auto [code] = co_await layers_->tls->async_shutdown(kAwait);
        throw_if_cancelled(code);
    }
    Socket& socket = layers_->socket.socket();
    error_code ignored;
    socket.shutdown(Socket::shutdown_send, ignored);
    std::array<char, 1024> scrap{};
    for (std::size_t total = 0; total < kMaxFarewellBytes;) {
        const auto [code, bytes] = co_await socket.async_read_some(asio::buffer(scrap), kAwait);
        throw_if_cancelled(code);
        if (code) break;
        total += bytes;
    }
    close();
    co_return Status{};
}

bool Stream::is_quiet() {
    auto& socket = layers_->lowest();
    if (!socket.is_open()) return false;
    // A TLS connection may have session tickets waiting, which are not an answer to anything and
    // not an end either: only an end or an error speaks against it.
    char byte = 0;
    const auto count = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return layers_->tls != nullptr;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

TlsSession Stream::session() const {
    if (!layers_->tls) return {};
    SSL_SESSION* session = SSL_get1_session(layers_->handle());
    if (session == nullptr) return {};
    TlsSession shared(session,
                      [](void* held) { SSL_SESSION_free(static_cast<SSL_SESSION*>(held)); });
    if (SSL_SESSION_is_resumable(session) != 1) return {};
    return shared;
}

async::Duration Stream::round_trip() const {
    return shortest_round_trip(layers_->lowest().native_handle());
}

void Stream::cancel() noexcept {
    error_code ignored;
    if (layers_) layers_->lowest().cancel(ignored);
}

void Stream::close() noexcept {
    error_code ignored;
    if (layers_) layers_->lowest().close(ignored);
}

void Stream::reset() noexcept {
    error_code ignored;
    if (layers_) layers_->lowest().set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

}  // namespace evalfleet::http
