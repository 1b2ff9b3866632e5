#pragma once

#include "common/http/response_stream.hpp"
#include "common/http/sse.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace evalfleet::http {

/// The events of a `text/event-stream` response, one after the other.
class EventStream {
  public:
    /// The response must be one of server-sent events; its status and type are the caller's to
    /// check.
    explicit EventStream(ResponseStream response, SseParser::Limits limits = {});

    /// The next event; nothing when the server ended the stream in good order. An event that was
    /// not finished when a stream is cut is not given out; the cut itself is an error.
    /// Errors and cancellation as in ResponseStream::read, and too_large.
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<Event>>> next();

    /// `last_byte` is when the bytes that completed the last event came.
    [[nodiscard]] const Timings& timings() const { return response_.timings(); }

    [[nodiscard]] const SseParser& parser() const { return parser_; }

  private:
    ResponseStream response_;
    SseParser parser_;
};

}  // namespace evalfleet::http
