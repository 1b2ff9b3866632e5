#include "common/http/event_stream.hpp"

#include <utility>

namespace evalfleet::http {

EventStream::EventStream(ResponseStream response, SseParser::Limits limits)
    : response_(std::move(response)), parser_(limits) {}

boost::asio::awaitable<Result<std::optional<Event>>> EventStream::next() {
    for (;;) {
        if (auto event = parser_.next()) co_return event;
        const auto part = co_await response_.read();
        if (!part) co_return part.error();
        if (!*part) co_return std::optional<Event>();
        if (const Status taken = parser_.feed(**part); !taken) co_return taken.error();
    }
}

}  // namespace evalfleet::http
