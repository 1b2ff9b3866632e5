#include "common/redis/transport.hpp"

#include "common/redis/tls.hpp"
#include "common/redis/wakeup.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <tuple>
#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

/// A failure of the network as a value. A cancellation is none: it goes on as an exception.
Error to_error(const error_code& error, const std::string& what) {
    if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
    const bool is_tls = error.category() == asio::error::get_ssl_category();
    return Error{is_tls ? ErrorKind::tls : ErrorKind::transient, what + ": " + error.message()};
}

/// A look-up runs on a thread of Asio's and cannot be interrupted. So nobody waits for it but its
/// own handler, which shares this; a caller who is cancelled leaves at once.
struct LookUp {
    explicit LookUp(const asio::any_io_executor& executor) : resolver(executor), done(executor) {}
    tcp::resolver resolver;
    Wakeup done;
    error_code error;
    tcp::resolver::results_type addresses;
};

asio::awaitable<Result<tcp::resolver::results_type>> look_up(Endpoint endpoint) {
    error_code not_an_address;
    const auto address = asio::ip::make_address(endpoint.host, not_an_address);
    if (!not_an_address)
        co_return tcp::resolver::results_type::create(tcp::endpoint(address, endpoint.port),
                                                      endpoint.host, "");

    const auto executor = co_await asio::this_coro::executor;
    const auto look_up = std::make_shared<LookUp>(executor);
    look_up->resolver.async_resolve(
        endpoint.host, std::to_string(endpoint.port),
        [look_up](const error_code& error, tcp::resolver::results_type addresses) {
            look_up->error = error;
            look_up->addresses = std::move(addresses);
            look_up->done.notify();
        });
    (void)co_await look_up->done.wait();
    if (look_up->error) co_return to_error(look_up->error, "cannot look up " + endpoint.host);
    co_return std::move(look_up->addresses);
}

asio::awaitable<Result<Transport::Socket>> connect_tcp(Endpoint endpoint) {
    const auto addresses = co_await look_up(endpoint);
    if (!addresses) co_return addresses.error();

    tcp::socket socket(co_await asio::this_coro::executor);
    const auto [error, address] = co_await asio::async_connect(socket, *addresses, kAsTuple);
    if (error) co_return to_error(error, "cannot connect to " + to_string(endpoint));
    error_code ignored;  // a connection without these options is slower, not wrong
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    co_return Transport::Socket(std::move(socket));
}

asio::awaitable<Result<Transport::Socket>> connect_unix(Endpoint endpoint) {
    asio::local::stream_protocol::socket socket(co_await asio::this_coro::executor);
    const asio::local::stream_protocol::endpoint address(endpoint.unix_path);
    const auto [error] = co_await socket.async_connect(address, kAsTuple);
    if (error) co_return to_error(error, "cannot connect to " + to_string(endpoint));
    co_return Transport::Socket(std::move(socket));
}

bool is_ip_address(const std::string& name) {
    error_code error;
    (void)asio::ip::make_address(name, error);
    return !error;
}

}  // namespace

asio::awaitable<Result<std::unique_ptr<Transport>>> Transport::open(Endpoint endpoint,
                                                                    std::optional<TlsConfig> tls) {
    auto connecting = endpoint.is_unix() ? connect_unix(endpoint) : connect_tcp(endpoint);
    auto socket = co_await std::move(connecting);
    if (!socket) co_return socket.error();
    auto transport = std::make_unique<Transport>(std::move(*socket));
    if (!tls) co_return transport;

    auto context = make_tls_context(*tls);
    if (!context) co_return context.error();
    const std::string& name = tls->server_name.empty() ? endpoint.host : tls->server_name;
    const Status status = co_await transport->start_tls(name, std::move(*context));
    if (!status) co_return status.error().within("TLS with " + to_string(endpoint));
    co_return transport;
}

asio::awaitable<Status> Transport::start_tls(std::string server_name, asio::ssl::context context) {
    context_.emplace(std::move(context));
    tls_.emplace(socket_, *context_);
    tls_->set_verify_callback(asio::ssl::host_name_verification(server_name));
    // SNI is for names only (RFC 6066). SSL_set_tlsext_host_name is this call, as a macro.
    if (!is_ip_address(server_name) && SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                                TLSEXT_NAMETYPE_host_name, server_name.data()) != 1)
        co_return Error{ErrorKind::tls, "cannot set the server name '" + server_name + "'"};

    const auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::client, kAsTuple);
    if (!error) co_return Status{};
    const long verdict = SSL_get_verify_result(tls_->native_handle());
    if (verdict == X509_V_OK) co_return to_error(error, "handshake");
    co_return Error{ErrorKind::tls, "the certificate for '" + server_name +
                                        "' is refused: " + X509_verify_cert_error_string(verdict)};
}

asio::awaitable<Result<std::size_t>> Transport::read_some(asio::mutable_buffer buffer) {
    std::tuple<error_code, std::size_t> done;
    if (tls_) {
        done = co_await tls_->async_read_some(buffer, kAsTuple);
    } else {
        done = co_await socket_.async_read_some(buffer, kAsTuple);
    }
    const auto [error, size] = done;
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
        co_return Error{ErrorKind::transient, "the server closed the connection"};
    if (error) co_return to_error(error, "cannot read");
    co_return size;
}

asio::awaitable<Status> Transport::write(asio::const_buffer buffer) {
    std::tuple<error_code, std::size_t> done;
    if (tls_) {
        done = co_await asio::async_write(*tls_, buffer, kAsTuple);
    } else {
        done = co_await asio::async_write(socket_, buffer, kAsTuple);
    }
    if (const auto error = std::get<0>(done)) co_return to_error(error, "cannot write");
    co_return Status{};
}

}  // namespace evalfleet::redis
