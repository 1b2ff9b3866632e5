#pragma once

#include "common/async/clock.hpp"
#include "common/http/headers.hpp"
#include "common/http/sse.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// Where a streamed body goes.
class BodyWriter {
  public:
    virtual ~BodyWriter() = default;

    /// Completes when the kernel has taken the bytes in, so that a slow reader slows the writer
    /// down. An error means that nobody reads any more; then just return it.
    [[nodiscard]] virtual boost::asio::awaitable<Status> write(std::string_view bytes) = 0;

    [[nodiscard]] virtual async::Clock& clock() = 0;
};

/// Writes a body piece by piece. It runs on the server's executor and is cancelled when the client
/// goes away; an error or exception cuts the connection, so that the client sees that the body is
/// not whole.
class BodyProducer {
  public:
    virtual ~BodyProducer() = default;
    [[nodiscard]] virtual boost::asio::awaitable<Status> produce(BodyWriter& writer) = 0;
};

/// Where server-sent events come from.
class EventSource {
  public:
    virtual ~EventSource() = default;

    /// The next event; nothing ends the stream. The call is cancelled (and repeated) whenever it is
    /// time for a heartbeat, so that a cancelled call must not lose an event.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<Event>> next() = 0;
};

/// Wants to know when its reply went out. Destroyed with the reply, sent or not.
class Receipt {
  public:
    virtual ~Receipt() = default;

    /// The whole reply was given to the kernel: `first_byte` is the moment before it was given any,
    /// `last_byte` the one after it had all.
    virtual void on_sent(async::TimePoint first_byte, async::TimePoint last_byte) = 0;
};

/// What a handler answers.
struct Reply {
    int status = 200;   ///< 0: see `hang_up()` and `reset()`
    Headers headers{};  ///< without Content-Length, Connection and Date, which the server sets
    std::string body{};
    std::unique_ptr<BodyProducer> producer{};  ///< if set, writes the body instead
    std::unique_ptr<Receipt> receipt{};
    bool is_reset = false;  ///< with status 0

    [[nodiscard]] static Reply text(std::string body);
    [[nodiscard]] static Reply html(std::string body);
    [[nodiscard]] static Reply json(std::string body, int status = 200);
    [[nodiscard]] static Reply empty(int status);
    /// No reply at all: the connection is closed. For servers that imitate broken ones.
    [[nodiscard]] static Reply hang_up();
    /// The same with a TCP reset instead of an orderly end.
    [[nodiscard]] static Reply reset();
    [[nodiscard]] static Reply stream(std::string content_type,
                                      std::unique_ptr<BodyProducer> producer);

    /// Server-sent events, with a comment whenever nothing else was sent for `heartbeat`.
    [[nodiscard]] static Reply events(
        std::unique_ptr<EventSource> source,
        std::chrono::milliseconds heartbeat = std::chrono::seconds(15));
};

}  // namespace evalfleet::http
