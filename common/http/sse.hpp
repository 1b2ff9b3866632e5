#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// One server-sent event.
struct Event {
    std::string type{};  ///< empty stands for "message"
    std::string data{};  ///< lines joined by LF
    std::string id{};    ///< the last id seen, this event's or an earlier one's

    friend bool operator==(const Event&, const Event&) = default;
};

/// Takes a stream of server-sent events apart by the rules of the WHATWG (HTML Living Standard,
/// 9.2.6): lines end in LF, CR or CRLF, wherever the bytes happen to be cut; a BOM at the very
/// start is dropped; an event without data is dropped, and so is one that is not closed by an empty
/// line when the stream ends. Pure and incremental.
class SseParser {
  public:
    struct Limits {
        std::size_t max_line_bytes = 1024 * 1024;
        std::size_t max_event_bytes = 4 * 1024 * 1024;  ///< of one event's data
    };

    SseParser() = default;
    explicit SseParser(Limits limits) : limits_(limits) {}

    /// Takes the next bytes in; what they completed can then be had with `next()`.
    /// Fails with too_large when a line or an event exceeds its limit; the parser is then spent.
    [[nodiscard]] Status feed(std::string_view bytes);

    /// The next complete event, oldest first.
    [[nodiscard]] std::optional<Event> next();

    /// The reconnection time that the server last asked for.
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const { return retry_; }

    [[nodiscard]] const std::string& last_event_id() const { return last_id_; }

  private:
    [[nodiscard]] Status take_line(std::string_view line);
    [[nodiscard]] Status take_field(std::string_view name, std::string_view value);
    void dispatch();

    Limits limits_;
    std::string line_;             // the unfinished line
    bool skip_line_feed_ = false;  // the last byte was CR: an LF now belongs to it
    bool at_start_ = true;         // the first line is not over: a BOM may stand here
    std::string type_;
    std::string data_;
    std::string id_;
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
    std::deque<Event> events_;
};

/// The event as bytes on the wire. Line ends inside `data` begin a new data line; those in `type`
/// and `id`, which have no place there, are dropped.
[[nodiscard]] std::string encode_event(const Event& event);

/// A comment, which receivers ignore; sent to keep a quiet connection alive.
inline constexpr std::string_view kSseHeartbeat = ":\n\n";

}  // namespace evalfleet::http
