#pragma once

#include "tests/support/certificates.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::testing {

/// What an imposter does on one connection, step by step; after the last step it closes.
class Script {
  public:
    /// Reads one request, head and body, and keeps it for `HttpImposter::requests()`.
    Script& read_request() { return add({Kind::read_request, {}, 0}); }
    /// Reads so many bytes, whatever they are, and keeps them likewise.
    Script& read_bytes(std::uint16_t count) { return add({Kind::read_bytes, {}, count}); }
    Script& send(std::string bytes) { return add({Kind::send, std::move(bytes), 0}); }
    /// One byte a packet.
    Script& drip(std::string bytes) { return add({Kind::drip, std::move(bytes), 0}); }
    /// Until the client closes the connection or the imposter goes.
    Script& hang() { return add({Kind::hang, {}, 0}); }
    /// Closes with a reset.
    Script& reset() { return add({Kind::reset, {}, 0}); }
    /// Carries bytes to and from a local port, as a proxy does, until either side ends.
    Script& tunnel(std::uint16_t port) { return add({Kind::tunnel, {}, port}); }

    /// A whole exchange: one request, answered with 200 and this body.
    Script& answer(const std::string& body);

  private:
    friend class HttpImposter;
    enum class Kind { read_request, read_bytes, send, drip, hang, reset, tunnel };
    struct Step {
        Kind kind;
        std::string bytes;
        std::uint16_t port;  ///< or how many bytes
    };
    Script& add(Step step) {
        steps_.push_back(std::move(step));
        return *this;
    }
    std::vector<Step> steps_;
};

/// An HTTP server that does exactly what a test tells it, right or wrong, byte by byte. Blocking,
/// on threads of its own, and sharing no code with what it tests. The n-th connection plays the
/// n-th script; those beyond the last one play the last one again.
class HttpImposter {
  public:
    /// `later`: connections are refused until `open`.
    enum class Begin { at_once, later };
    explicit HttpImposter(std::vector<Script> scripts, Begin begin = Begin::at_once);
    /// The same over TLS. With `client_authority`, clients must show a certificate of it.
    HttpImposter(std::vector<Script> scripts, const CertificateFiles& identity,
                 std::optional<std::filesystem::path> client_authority = {});
    HttpImposter(const HttpImposter&) = delete;
    HttpImposter& operator=(const HttpImposter&) = delete;
    ~HttpImposter();

    /// Accepts connections from now on.
    void open();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// "http://127.0.0.1:port" + path, or https.
    [[nodiscard]] std::string url(const std::string& path = "/") const;

    [[nodiscard]] std::vector<std::string> requests() const;
    [[nodiscard]] std::size_t count_connections() const;
    [[nodiscard]] std::size_t count_ended_connections() const;
    [[nodiscard]] std::size_t count_resumed_sessions() const;

    void blocking_await_requests(std::size_t count);
    void blocking_await_ended_connections(std::size_t count);

  private:
    class Channel;

    void bind();
    void accept_all();
    void play(int socket, const Script& script);
    void perform(Channel& channel, const Script::Step& step);
    void read_request(Channel& channel);
    void read_bytes(Channel& channel, std::size_t count);
    void keep(std::string request);
    void tunnel(Channel& channel, std::uint16_t port);

    std::vector<Script> scripts_;
    std::shared_ptr<void> tls_;  // an SSL_CTX, if it speaks TLS
    int listener_ = -1;
    std::uint16_t port_ = 0;

    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::vector<std::string> requests_;
    std::vector<int> sockets_;
    std::size_t ended_ = 0;
    std::size_t resumed_ = 0;
    std::vector<std::thread> players_;
    std::thread accepter_;
};

/// Listens, but lets nobody in: its queue is full, so that connecting to it takes forever.
class FullListener {
  public:
    FullListener();
    FullListener(const FullListener&) = delete;
    FullListener& operator=(const FullListener&) = delete;
    ~FullListener();

    [[nodiscard]] std::string url() const;

  private:
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::vector<int> fillers_;
};

}  // namespace evalfleet::testing
