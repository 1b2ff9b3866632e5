#include "tests/support/http_imposter.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <stdexcept>

namespace evalfleet::testing {

namespace {

void require(bool succeeded, const char* step) {
    if (!succeeded) throw std::runtime_error(std::string("imposter: ") + step);
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

const sockaddr* as_sockaddr(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

std::uint16_t bind_to_loopback(int socket) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    require(::bind(socket, as_sockaddr(address), size) == 0, "bind");
    require(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0, "name");
    return ntohs(address.sin_port);
}

std::shared_ptr<void> make_context(const CertificateFiles& identity,
                                   const std::optional<std::filesystem::path>& client_authority) {
    // OpenSSL writes without MSG_NOSIGNAL.
    std::signal(SIGPIPE, SIG_IGN);
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    const std::shared_ptr<void> owner(
        context, [](void* held) { SSL_CTX_free(static_cast<SSL_CTX*>(held)); });
    require(SSL_CTX_use_certificate_chain_file(context, identity.certificate.c_str()) == 1, "crt");
    require(SSL_CTX_use_PrivateKey_file(context, identity.key.c_str(), SSL_FILETYPE_PEM) == 1,
            "key");
    constexpr unsigned char kName[] = "imposter";
    SSL_CTX_set_session_id_context(context, kName, sizeof(kName) - 1);
    if (client_authority) {
        require(SSL_CTX_load_verify_file(context, client_authority->c_str()) == 1, "authority");
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return owner;
}

/// How long the body behind this head is, by its Content-Length.
std::size_t body_length(const std::string& head) {
    const std::string name = "Content-Length: ";
    const auto at = head.find(name);
    if (at == std::string::npos) return 0;
    std::size_t length = 0;
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
    return length;
}

}  // namespace

Script& Script::answer(const std::string& body) {
    read_request();
    return send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body);
}

/// A blocking connection, plain or TLS.
class HttpImposter::Channel {
  public:
    Channel(int socket, SSL_CTX* context) : socket_(socket) {
        const int on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (context == nullptr) return;
        ssl_ = SSL_new(context);
        SSL_set_fd(ssl_, socket_);
        is_open_ = SSL_accept(ssl_) == 1;
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    ~Channel() {
        if (ssl_ == nullptr) return;
        if (is_open_) SSL_shutdown(ssl_);
        SSL_free(ssl_);
    }

    /// Empty at the end.
    std::string read() {
        if (!is_open_) return {};
        std::array<char, 4096> buffer{};
        const auto count = ssl_ != nullptr
                               ? SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()))
                               : ::recv(socket_, buffer.data(), buffer.size(), 0);
        is_open_ = count > 0;
        return is_open_ ? std::string(buffer.data(), static_cast<std::size_t>(count)) : "";
    }

    /// True if TLS has decrypted more than was read.
    [[nodiscard]] bool has_pending() const { return ssl_ != nullptr && SSL_pending(ssl_) > 0; }

    void write(const std::string& bytes) {
        for (std::size_t sent = 0; is_open_ && sent < bytes.size();) {
            const char* from = bytes.data() + sent;
            const auto left = bytes.size() - sent;
            const auto count = ssl_ != nullptr ? SSL_write(ssl_, from, static_cast<int>(left))
                                               : ::send(socket_, from, left, MSG_NOSIGNAL);
            is_open_ = count > 0;
            if (is_open_) sent += static_cast<std::size_t>(count);
        }
    }

    /// The close that follows sends a reset instead of an end.
    void make_close_abrupt() {
        const linger now{1, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        is_open_ = false;
    }

    [[nodiscard]] bool is_open() const { return is_open_; }
    [[nodiscard]] int socket() const { return socket_; }
    [[nodiscard]] bool resumed() const { return ssl_ != nullptr && SSL_session_reused(ssl_) == 1; }

    std::string unread;  // what came behind the last request

  private:
    int socket_;
    SSL* ssl_ = nullptr;
    bool is_open_ = true;
};

HttpImposter::HttpImposter(std::vector<Script> scripts, Begin begin)
    : scripts_(std::move(scripts)) {
    bind();
    if (begin == Begin::at_once) open();
}

HttpImposter::HttpImposter(std::vector<Script> scripts, const CertificateFiles& identity,
                           std::optional<std::filesystem::path> client_authority)
    : scripts_(std::move(scripts)), tls_(make_context(identity, client_authority)) {
    bind();
    open();
}

void HttpImposter::bind() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(listener_ >= 0, "socket");
    port_ = bind_to_loopback(listener_);
}

void HttpImposter::open() {
    require(::listen(listener_, 1024) == 0, "listen");
    accepter_ = std::thread([this] { accept_all(); });
}

HttpImposter::~HttpImposter() {
    ::shutdown(listener_, SHUT_RDWR);
    if (accepter_.joinable()) accepter_.join();
    ::close(listener_);
    {
        const std::lock_guard lock(mutex_);
        for (const int socket : sockets_)
            ::shutdown(socket, SHUT_RDWR);
    }
    for (auto& player : players_)
        player.join();
}

void HttpImposter::accept_all() {
    for (std::size_t i = 0;; ++i) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const Script& script = scripts_[std::min(i, scripts_.size() - 1)];
        const std::lock_guard lock(mutex_);
        sockets_.push_back(socket);
        players_.emplace_back([this, socket, &script] { play(socket, script); });
        changed_.notify_all();
    }
}

void HttpImposter::play(int socket, const Script& script) {
    {
        Channel channel(socket, static_cast<SSL_CTX*>(tls_.get()));
        for (const auto& step : script.steps_) {
            if (!channel.is_open()) break;
            perform(channel, step);
        }
        const std::lock_guard lock(mutex_);
        resumed_ += channel.resumed() ? 1 : 0;
    }
    const std::lock_guard lock(mutex_);
    std::erase(sockets_, socket);
    ::close(socket);
    ++ended_;
    changed_.notify_all();
}

void HttpImposter::perform(Channel& channel, const Script::Step& step) {
    switch (step.kind) {
        case Script::Kind::read_request:
            return read_request(channel);
        case Script::Kind::read_bytes:
            return read_bytes(channel, step.port);
        case Script::Kind::send:
            return channel.write(step.bytes);
        case Script::Kind::drip:
            for (const char c : step.bytes)
                channel.write(std::string(1, c));
            return;
        case Script::Kind::hang:
            while (channel.is_open())
                channel.read();
            return;
        case Script::Kind::reset:
            return channel.make_close_abrupt();
        case Script::Kind::tunnel:
            return tunnel(channel, step.port);
    }
}

void HttpImposter::read_request(Channel& channel) {
    std::string request = std::move(channel.unread);
    std::size_t end = std::string::npos;
    for (;;) {
        const auto head_end = request.find("\r\n\r\n");
        if (head_end != std::string::npos) {
            end = head_end + 4 + body_length(request.substr(0, head_end + 4));
            if (request.size() >= end) break;
        }
        const std::string more = channel.read();
        if (more.empty()) return;
        request += more;
    }
    channel.unread = request.substr(end);
    request.resize(end);
    keep(std::move(request));
}

void HttpImposter::read_bytes(Channel& channel, std::size_t count) {
    std::string bytes = std::move(channel.unread);
    while (bytes.size() < count) {
        const std::string more = channel.read();
        if (more.empty()) return;
        bytes += more;
    }
    channel.unread = bytes.substr(count);
    bytes.resize(count);
    keep(std::move(bytes));
}

void HttpImposter::keep(std::string request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    changed_.notify_all();
}

void HttpImposter::tunnel(Channel& channel, std::uint16_t port) {
    const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    bool is_open = ::connect(other, as_sockaddr(address), sizeof(address)) == 0;
    std::array<char, 4096> buffer{};
    while (is_open) {
        std::array<pollfd, 2> ends{pollfd{channel.socket(), POLLIN, 0}, pollfd{other, POLLIN, 0}};
        if (!channel.has_pending()) ::poll(ends.data(), ends.size(), -1);
        if (ends[0].revents != 0 || channel.has_pending()) {
            const std::string bytes = channel.read();
            const auto sent = ::send(other, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            is_open = !bytes.empty() && sent == static_cast<ssize_t>(bytes.size());
        }
        if (is_open && ends[1].revents != 0) {
            const auto count = ::recv(other, buffer.data(), buffer.size(), 0);
            is_open = count > 0;
            if (is_open) channel.write(std::string(buffer.data(), static_cast<std::size_t>(count)));
        }
    }
    ::close(other);
}

std::string HttpImposter::url(const std::string& path) const {
    return std::string(tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<std::string> HttpImposter::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

std::size_t HttpImposter::count_connections() const {
    const std::lock_guard lock(mutex_);
    return players_.size();
}

std::size_t HttpImposter::count_ended_connections() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

std::size_t HttpImposter::count_resumed_sessions() const {
    const std::lock_guard lock(mutex_);
    return resumed_;
}

void HttpImposter::blocking_await_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_.size() >= count; });
}

void HttpImposter::blocking_await_ended_connections(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ >= count; });
}

FullListener::FullListener() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    port_ = bind_to_loopback(listener_);
    require(::listen(listener_, 0) == 0, "listen");
    // The kernel's queue holds one more than asked for, and some rounding; these fill it.
    const sockaddr_in address = loopback(port_);
    for (int i = 0; i < 8; ++i) {
        const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        static_cast<void>(::connect(filler, as_sockaddr(address), sizeof(address)));
        fillers_.push_back(filler);
    }
}

FullListener::~FullListener() {
    for (const int filler : fillers_)
        ::close(filler);
    ::close(listener_);
}

std::string FullListener::url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/";
}

}  // namespace evalfleet::testing
