#pragma once

#include "common/async/clock.hpp"
#include "common/http/headers.hpp"
#include "common/http/url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace evalfleet::http {

/// How one server is reached, where that differs from what holds for all. One object for each: it
/// is known by its address, and connections are kept for it alone.
struct Transport {
    std::filesystem::path ca_file{};           ///< PEM; trusted besides the client's authorities
    std::filesystem::path certificate_file{};  ///< PEM chain for servers that ask; empty: none
    std::filesystem::path key_file{};          ///< PEM, of that certificate
    std::optional<std::chrono::milliseconds> idle_timeout{};  ///< none: as the client has it
};

/// A request of the client.
struct Request {
    std::string method = "GET";
    Url url{};
    Headers headers{};  ///< without Host, Content-Length and Connection, which the client sets
    std::string body{};

    /// A kept connection may be closed by the server in the very moment we send on it. Such a
    /// request, not one byte of which was answered, is sent once more on a new connection. The
    /// server may in theory have acted on the first one (RFC 9110 9.2.2 is careful about this with
    /// POST); for calls that only cost something twice, such as model calls, that is better than a
    /// failure. Set to false where it is not.
    bool may_resend = true;

    bool wants_new_connection = false;  ///< a kept one is not used

    std::shared_ptr<const Transport> transport{};  ///< null: nothing is different
};

/// The moments of a call on the monotonic clock. What was received has the time at which the kernel
/// got it, where the kernel tells; otherwise, as for what was sent, that of the completion of the
/// socket operation, before anything is parsed.
struct Timings {
    async::TimePoint
        dispatched{};              ///< a connection slot was free; looking up and connecting begins
    async::TimePoint connected{};  ///< the connection (with TLS) stood; = dispatched when reused
    async::TimePoint request_written{};  ///< the last byte of the request was given to the kernel
    async::TimePoint first_byte{};       ///< of the final response's head
    async::TimePoint last_byte{};        ///< of its body
    /// The shortest round trip of the connection until the response was whole; 0: not known.
    async::Duration round_trip{};
    bool connection_reused = false;
    bool arrival_is_stamped = false;  ///< `last_byte` is the kernel's time
    bool resent = false;  ///< after a stale connection; `dispatched` is that of the first try
};

/// A response as the client got it.
struct Response {
    int status = 0;
    Headers headers{};
    std::string body{};
    Timings timings{};
};

/// What a call may cost at most. The deadlines are moments, not durations, so that they hold over
/// all attempts and layers.
struct CallLimits {
    async::TimePoint connect_deadline = async::kNever;     ///< connection and TLS stand
    async::TimePoint first_byte_deadline = async::kNever;  ///< the head of the response is there
    async::TimePoint total_deadline = async::kNever;       ///< the last byte is there
    std::size_t max_header_bytes = 64 * 1024;
    std::uint64_t max_body_bytes = 16 * 1024 * 1024;
};

}  // namespace evalfleet::http
