#include "common/http/server.hpp"

#include "common/async/deadline.hpp"
#include "common/async/task_group.hpp"
#include "common/http/name_lookup.hpp"
#include "common/http/problem.hpp"
#include "common/http/reply_head.hpp"
#include "common/http/session.hpp"
#include "common/http/session_list.hpp"
#include "common/http/stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <sys/socket.h>

#include <cstring>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;
using Protocol = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol>;
using boost::system::error_code;

namespace {

// After a failed accept (no file descriptor left, mostly) others must get a chance to end.
constexpr std::chrono::milliseconds kAcceptPause{50};

constexpr std::chrono::milliseconds kCheckEvery{500};

// Connections beyond the limit that may ask for probes: whoever watches us must not take a crowd
// for our death.
constexpr std::size_t kSpareConnections = 32;

using SharePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

asio::ip::tcp::endpoint to_tcp(const Protocol::endpoint& endpoint) {
    asio::ip::tcp::endpoint tcp;
    if (endpoint.size() > tcp.capacity()) return tcp;
    tcp.resize(endpoint.size());
    std::memcpy(tcp.data(), endpoint.data(), endpoint.size());
    return tcp;
}

Result<asio::ip::address> find_address(const std::string& host) {
    error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) return address;
    const auto found = blocking_ask_system(host);
    if (!found) return found.error();
    return found->addresses.front();
}

std::string describe_peer(const Stream::Socket& socket) {
    error_code error;
    const auto endpoint = socket.remote_endpoint(error);
    const auto family = endpoint.protocol().family();
    if (error || (family != AF_INET && family != AF_INET6)) return "unix";
    return to_tcp(endpoint).address().to_string();
}

asio::awaitable<Status> join(async::TaskGroup& sessions) {
    co_await sessions.join();
    co_return Status{};
}

void rethrow_unless_cancelled(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) throw;
    }
}

}  // namespace

struct Server::Parts {
    Parts(const asio::any_io_executor& executor_in, async::Clock& clock_in, ServerConfig config_in,
          Router router_in, ServerObserver* observer_in)
        : executor(executor_in),
          clock(clock_in),
          config(std::move(config_in)),
          router(std::move(router_in)),
          observer(observer_in != nullptr ? *observer_in : silent),
          tls(config.tls ? make_server_context(*config.tls) : nullptr),
          acceptor(executor),
          // A session throws nothing but operation_aborted: anything else is a bug of ours, and
          // leaves through the executor.
          sessions(executor, rethrow_unless_cancelled),
          checks(executor, rethrow_unless_cancelled) {}

    [[nodiscard]] Status bind();
    [[nodiscard]] asio::awaitable<void> accept();
    [[nodiscard]] asio::awaitable<void> check_deadlines();
    [[nodiscard]] asio::awaitable<void> stop_checking();
    enum class Room { none, spare, regular };

    void admit(Stream::Socket socket);
    [[nodiscard]] Room find_room();
    [[nodiscard]] Room make_room();
    void refuse(Stream::Socket socket);
    [[nodiscard]] asio::awaitable<void> serve(Stream::Socket socket, bool is_spare);

    asio::any_io_executor executor;
    async::Clock& clock;
    ServerConfig config;
    Router router;
    ServerObserver silent;
    ServerObserver& observer;
    std::unique_ptr<asio::ssl::context> tls;
    Acceptor acceptor;
    bool is_draining = false;
    SessionList open;  // each lives in its coroutine
    async::TaskGroup sessions;
    async::TaskGroup checks;
};

Server::Server(const asio::any_io_executor& executor, async::Clock& clock, ServerConfig config,
               Router router, ServerObserver* observer)
    : parts_(std::make_unique<Parts>(executor, clock, std::move(config), std::move(router),
                                     observer)) {}

Server::~Server() = default;

Status Server::Parts::bind() {
    Protocol::endpoint endpoint;
    if (config.unix_path.empty()) {
        const auto address = find_address(config.host);
        if (!address) return address.error();
        endpoint = asio::ip::tcp::endpoint(*address, config.port);
    } else {
        endpoint = asio::local::stream_protocol::endpoint(config.unix_path.string());
        std::error_code ignored;
        std::filesystem::remove(config.unix_path, ignored);
    }
    error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
    if (!error && config.share_port) acceptor.set_option(SharePort(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return Error{ErrorKind::internal, error.message()};
    return {};
}

Status Server::listen() {
    const Status bound = parts_->bind();
    if (bound) return bound;
    const ServerConfig& config = parts_->config;
    const std::string place = config.unix_path.empty()
                                  ? config.host + ":" + std::to_string(config.port)
                                  : config.unix_path.string();
    return bound.error().within("listening on " + place);
}

std::uint16_t Server::port() const {
    if (!parts_->config.unix_path.empty()) return 0;
    error_code error;
    const auto endpoint = parts_->acceptor.local_endpoint(error);
    return error ? std::uint16_t{0} : to_tcp(endpoint).port();
}

asio::awaitable<void> Server::run() {
    std::exception_ptr failure;
    parts_->checks.spawn(parts_->check_deadlines());
    try {
        co_await parts_->accept();
        co_await parts_->sessions.join();
    } catch (...) {
        failure = std::current_exception();
    }
    // What was started must be gone before we are, whatever is asked of us meanwhile.
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await parts_->stop_checking();
    if (!failure) {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_return;
    }
    parts_->is_draining = true;
    error_code ignored;
    parts_->acceptor.close(ignored);
    parts_->sessions.cancel();
    co_await parts_->sessions.join();
    std::rethrow_exception(failure);
}

asio::awaitable<void> Server::Parts::accept() {
    while (!is_draining) {
        auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (is_draining) co_return;
        if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
        if (!error) {
            admit(std::move(socket));
        } else if (error != asio::error::no_descriptors || make_room() == Room::none) {
            co_await clock.wait_for(kAcceptPause);
        }
    }
}

asio::awaitable<void> Server::Parts::check_deadlines() {
    for (;;) {
        co_await clock.wait_for(kCheckEvery);
        const async::TimePoint now = clock.now();
        open.for_each([now](Session& session) { session.check_deadlines(now); });
    }
}

asio::awaitable<void> Server::Parts::stop_checking() {
    checks.cancel();
    co_await checks.join();
}

void Server::Parts::admit(Stream::Socket socket) {
    const Room room = find_room();
    if (room == Room::none) {
        refuse(std::move(socket));
        return;
    }
    error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    sessions.spawn(serve(std::move(socket), room == Room::spare));
}

Server::Parts::Room Server::Parts::find_room() {
    if (open.count_regular() < config.max_connections) return Room::regular;
    if (const Room room = make_room(); room != Room::none) return room;
    return open.count_spare() < kSpareConnections ? Room::spare : Room::none;
}

/// What became free, if anything did.
Server::Parts::Room Server::Parts::make_room() {
    const SessionList::Entry* entry = open.longest_waiting(clock.now());
    if (entry == nullptr) return Room::none;
    const Room room = entry->is_spare ? Room::spare : Room::regular;
    entry->session->give_way();
    return room;
}

/// Says so if that takes no waiting; there is nobody left to wait.
void Server::Parts::refuse(Stream::Socket socket) {
    observer.on_connection_refused();
    if (tls) return;
    const Reply reply = Problem{.status = 503, .detail = "too many connections"}.to_reply();
    const ReplyShape shape{Framing::length,      reply.body.size(), false, 11, {},
                           &config.reply_headers};
    const std::string text = format_reply_head(reply, shape, clock.utc_now()) + reply.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(text), 0, ignored);
    socket.shutdown(Stream::Socket::shutdown_send, ignored);
}

asio::awaitable<void> Server::Parts::serve(Stream::Socket socket, bool is_spare) {
    const std::string peer = describe_peer(socket);
    const SessionContext context{clock, config, router, observer, tls.get(), is_draining, open};
    Session session(context, Stream(std::move(socket), clock), peer, is_spare);
    observer.on_connection_opened();
    std::exception_ptr failure;
    try {
        co_await session.run();
    } catch (...) {
        failure = std::current_exception();
    }
    observer.on_connection_closed();
    if (failure) std::rethrow_exception(failure);
}

asio::awaitable<void> Server::close(async::TimePoint deadline) {
    parts_->is_draining = true;
    error_code ignored;
    parts_->acceptor.close(ignored);
    parts_->open.for_each([](Session& session) { session.close_if_idle(); });
    const Status drained =
        co_await async::with_deadline(parts_->clock, deadline, join(parts_->sessions));
    if (drained) co_return;
    parts_->sessions.cancel();
    co_await parts_->sessions.join();
}

std::size_t Server::count_connections() const {
    return parts_->sessions.size();
}

}  // namespace evalfleet::http
