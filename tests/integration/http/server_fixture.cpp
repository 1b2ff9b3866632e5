#include "tests/integration/http/server_fixture.hpp"

#include <arpa/inet.h>
#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <future>
#include <stdexcept>

namespace evalfleet::http {

namespace asio = boost::asio;

RunningServer::RunningServer(Router router, ServerConfig config, async::Clock* clock,
                             ServerObserver* observer)
    : clock_(clock != nullptr ? *clock : system_clock_),
      is_tls_(config.tls.has_value()),
      server_(context_.get_executor(), clock_, std::move(config), std::move(router), observer) {
    if (const Status bound = server_.listen(); !bound)
        throw std::runtime_error(bound.error().message);
    port_ = server_.port();
    asio::co_spawn(context_, server_.run(),
                   [this](const std::exception_ptr& failure) { failure_ = failure; });
    thread_ = std::thread([this] { context_.run(); });
}

RunningServer::~RunningServer() {
    begin_close({});
    blocking_join();
}

std::string RunningServer::url(const std::string& path) const {
    return std::string(is_tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_) + path;
}

std::size_t RunningServer::count_connections() {
    std::promise<std::size_t> count;
    asio::post(context_, [&] { count.set_value(server_.count_connections()); });
    return count.get_future().get();
}

void RunningServer::begin_close(async::Duration patience) {
    asio::co_spawn(context_, server_.close(clock_.now() + patience),
                   [](const std::exception_ptr& failure) {
                       if (failure) std::rethrow_exception(failure);
                   });
}

void RunningServer::blocking_join() {
    if (thread_.joinable()) thread_.join();
    if (failure_) std::terminate();
}

RawClient::RawClient(std::uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    // Only so that a broken server fails the test instead of hanging it.
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        throw std::runtime_error("cannot connect");
    }
}

RawClient::~RawClient() {
    close();
}

void RawClient::close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
}

void RawClient::send(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
        const auto count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += static_cast<std::size_t>(count);
    }
}

bool RawClient::read_more() {
    std::array<char, 4096> buffer{};
    const auto count = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EAGAIN) throw std::runtime_error("the server keeps us waiting");
    if (count <= 0) return false;
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

std::string RawClient::read_until(const std::string& text) {
    while (unread_.find(text) == std::string::npos && read_more()) {
    }
    const auto at = unread_.find(text);
    const auto end = at == std::string::npos ? unread_.size() : at + text.size();
    std::string taken = unread_.substr(0, end);
    unread_.erase(0, end);
    return taken;
}

std::string RawClient::read_response() {
    std::string head = read_until("\r\n\r\n");
    const std::string name = "Content-Length: ";
    const auto at = head.find(name);
    const std::size_t length =
        at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
    while (unread_.size() < length && read_more()) {
    }
    const std::string body = unread_.substr(0, length);
    unread_.erase(0, length);
    return head + body;
}

std::string RawClient::read_to_end() {
    while (read_more()) {
    }
    return std::exchange(unread_, {});
}

}  // namespace evalfleet::http
