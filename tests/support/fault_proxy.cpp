#include "tests/support/fault_proxy.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <future>
#include <utility>

namespace evalfleet::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct FaultProxy::Connection {
    explicit Connection(tcp::socket accepted)
        : client(std::move(accepted)), server(client.get_executor()) {}

    Socket client;
    Socket server;
    bool has_lost_bytes = false;
};

namespace {

// A test's own code that fails must not go unseen.
void rethrow(std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

FaultProxy::FaultProxy()
    : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      changed_(context_, asio::steady_timer::time_point::max()),
      port_(acceptor_.local_endpoint().port()) {
    asio::co_spawn(context_, accept_all(), rethrow);
    thread_ = std::thread([this] { context_.run(); });
}

FaultProxy::~FaultProxy() {
    context_.stop();
    thread_.join();
}

void FaultProxy::perform(const std::function<void()>& action) {
    std::promise<void> done;
    asio::post(context_, [&] {
        action();
        done.set_value();
    });
    done.get_future().wait();
}

void FaultProxy::carry_to(std::string unix_path) {
    perform([&] { target_ = asio::local::stream_protocol::endpoint(unix_path); });
}

void FaultProxy::carry_to(std::uint16_t port) {
    perform([&] { target_ = tcp::endpoint(asio::ip::address_v4::loopback(), port); });
}

void FaultProxy::set_link(Link link) {
    perform([&] {
        const bool is_well = link == Link{};
        link_ = link;
        for (const auto& connection : open_connections()) {
            if (connection->has_lost_bytes)
                reset(*connection);
            else if (!is_well)
                ++hits_;
        }
        changed_.cancel();
    });
}

void FaultProxy::reset_connections() {
    perform([&] {
        for (const auto& connection : open_connections()) {
            ++hits_;
            reset(*connection);
        }
    });
}

std::uint64_t FaultProxy::count_hits() {
    std::uint64_t hits = 0;
    perform([&] { hits = hits_; });
    return hits;
}

std::size_t FaultProxy::count_open() {
    std::size_t count = 0;
    perform([&] { count = open_connections().size(); });
    return count;
}

std::vector<std::shared_ptr<FaultProxy::Connection>> FaultProxy::open_connections() {
    std::vector<std::shared_ptr<Connection>> open;
    std::erase_if(connections_, [&](const auto& weak) {
        const auto connection = weak.lock();
        if (!connection || !connection->client.is_open()) return true;
        open.push_back(connection);
        return false;
    });
    return open;
}

void FaultProxy::reset(Connection& connection) {
    error_code ignored;
    for (Socket* socket : {&connection.client, &connection.server}) {
        socket->set_option(asio::socket_base::linger(true, 0), ignored);
        socket->close(ignored);
    }
}

asio::awaitable<void> FaultProxy::accept_all() {
    for (;;) {
        tcp::socket accepted = co_await acceptor_.async_accept(asio::use_awaitable);
        auto connection = std::make_shared<Connection>(std::move(accepted));
        if (link_.refuses) {
            reset(*connection);
            continue;
        }
        if (link_ != Link{}) ++hits_;
        connections_.push_back(connection);
        asio::co_spawn(context_, serve(std::move(connection)), rethrow);
    }
}

asio::awaitable<void> FaultProxy::serve(std::shared_ptr<Connection> connection) {
    error_code failed;
    co_await connection->server.async_connect(target_,
                                              asio::redirect_error(asio::use_awaitable, failed));
    if (failed) {
        reset(*connection);
        co_return;
    }
    asio::co_spawn(context_, carry(connection, Way::to_server), rethrow);
    asio::co_spawn(context_, carry(connection, Way::to_client), rethrow);
}

asio::awaitable<void> FaultProxy::carry(std::shared_ptr<Connection> connection, Way way) {
    const bool is_request = way == Way::to_server;
    Socket& from = is_request ? connection->client : connection->server;
    Socket& to = is_request ? connection->server : connection->client;
    std::array<char, 65536> bytes;
    for (;;) {
        error_code ended;
        const std::size_t size = co_await from.async_read_some(
            asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ended));
        const Flow flow = co_await await_flow(way);
        if (flow == Flow::vanishes) {
            connection->has_lost_bytes = true;
            // Whoever lost the end of a connection notices it when the link is well again.
            while (ended && link_ != Link{})
                (void)co_await changed_.async_wait(
                    asio::redirect_error(asio::use_awaitable, ended));
            if (!connection->client.is_open()) co_return;
            continue;
        }
        error_code failed = ended;
        if (!ended)
            co_await asio::async_write(to, asio::buffer(bytes, size),
                                       asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) continue;
        if (failed == asio::error::eof)
            to.shutdown(Socket::shutdown_send, failed);
        else
            reset(*connection);
        co_return;
    }
}

asio::awaitable<FaultProxy::Flow> FaultProxy::await_flow(Way way) {
    error_code ignored;
    if (link_.latency.count() > 0) {
        asio::steady_timer timer(context_, link_.latency);
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    while (flow(way) == Flow::waits)
        co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    co_return flow(way);
}

FaultProxy::Flow FaultProxy::flow(Way way) const {
    return way == Way::to_server ? link_.to_server : link_.to_client;
}

}  // namespace evalfleet::testing
