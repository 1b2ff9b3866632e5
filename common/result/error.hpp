#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evalfleet {

/// What a failure means for the caller. Small on purpose: it drives decisions (try again? give up?
/// tell the user?), the message tells the story.
enum class ErrorKind {
    transient,     ///< may work if tried again: a lost connection, a server that says "not now"
    rate_limited,  ///< refused because of a quota; `retry_after` says when, if known
    timeout,       ///< the deadline passed first
    cancelled,     ///< we were asked to stop
    invalid,       ///< the input or a reply is wrong; trying again gives the same
    too_large,     ///< a bound on size, count or depth was exceeded
    not_found,     ///< the thing named does not exist
    denied,        ///< authentication or permission was refused
    lease_lost,    ///< someone else owns the job by now
    tls,           ///< the peer could not be verified, or the handshake failed
    internal,      ///< the machine failed us (disk, memory), or we have a bug
};

/// The kind's name, as it stands in logs and metrics labels.
[[nodiscard]] std::string_view to_string(ErrorKind kind) noexcept;

/// An expected failure, as a value. Exceptions are for bugs and failed starts only.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;                                     ///< for people; never holds a secret
    std::optional<std::chrono::milliseconds> retry_after{};  ///< when the other side named a time

    /// The same error with `context` and ": " in front of its message.
    [[nodiscard]] Error within(std::string_view context) const;
};

/// True for failures that may pass by themselves: transient, rate_limited, timeout.
[[nodiscard]] bool is_retryable(ErrorKind kind) noexcept;

/// What `Result::value()` throws when there is no value; catching it means a check was forgotten.
class BadResultAccess : public std::logic_error {
  public:
    explicit BadResultAccess(const Error& error);
};

}  // namespace evalfleet
