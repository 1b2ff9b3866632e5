#pragma once

#include "common/redis/backoff.hpp"
#include "common/redis/multiplexer.hpp"
#include "common/redis/reply_reader.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::redis {

/// Where a redis-server listens: `unix_path`, or `host` and `port`.
struct Endpoint {
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string unix_path;  ///< not empty: a unix socket, host and port do not count

    [[nodiscard]] bool is_unix() const noexcept { return !unix_path.empty(); }
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// "host:port", "[::1]:port" or "unix:/path".
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

/// The peer is always verified: its chain against a CA, its name against the certificate.
/// Files are read at every connect, so that rotated certificates come into use by themselves.
struct TlsConfig {
    std::string ca_file;      ///< PEM; empty: the system's certificate authorities
    std::string cert_file;    ///< PEM, our certificate; empty: none is shown
    std::string key_file;     ///< PEM, its key
    std::string server_name;  ///< to be verified and sent as SNI; empty: the host of the endpoint
};

/// How the server of the moment is found where it can change: sentinels know the master, the nodes
/// of a cluster know which of them holds a key.
struct Discovery {
    enum class Kind { sentinel, cluster };

    Kind kind = Kind::sentinel;
    std::vector<Endpoint> seeds;    ///< who is asked, in turn, until one answers
    std::string master;             ///< sentinel: the name that it knows the master by
    std::string sentinel_user;      ///< sentinel: who we are to it, apart from who we are to Redis
    std::string sentinel_password;  ///< never shown in any message
    std::string key = "ef:{main}";  ///< cluster: the server that holds this key is meant
};

/// Everything about one connection. Made by `parse_url`, or by hand.
struct Config {
    Endpoint endpoint;
    std::optional<Discovery> discovery;     ///< set: it names the endpoint before each connect
    std::optional<TlsConfig> tls;           ///< empty: plain text
    std::string user;                       ///< empty: the server's default user
    std::string password;                   ///< empty: no AUTH; never shown in any message
    int database = 0;                       ///< SELECTed at every connect
    std::string client_name = "evalfleet";  ///< shown by CLIENT LIST; empty: not set

    std::chrono::milliseconds connect_timeout{5'000};  ///< look-up, connect, TLS, AUTH together
    std::chrono::milliseconds ping_interval{5'000};    ///< of silence, after which PING is sent
    std::chrono::milliseconds ping_timeout{10'000};    ///< of more silence: the peer is dead
    /// For a client of blocking commands (XREAD BLOCK, BLPOP): the longest BLOCK it will ask for.
    /// The server answers nothing else meanwhile, so that much more silence is no sign of death.
    std::chrono::milliseconds longest_block{0};
    std::chrono::milliseconds stable_after{5'000};  ///< a connection this old resets the back-off

    Backoff::Config backoff;
    ReplyLimits reply_limits;
    Multiplexer::Limits limits;
};

/// The configuration as a URL, for people and logs: the password is replaced by "***".
[[nodiscard]] std::string to_string(const Config& config);

/// `invalid`, naming the field and its value, if the configuration cannot work.
[[nodiscard]] Status validate(const Config& config);

/// The passwords in it, for whoever keeps them out of logs.
[[nodiscard]] std::vector<std::string> secrets_of(const Config& config);

}  // namespace evalfleet::redis
