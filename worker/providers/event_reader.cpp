#include "worker/providers/event_reader.hpp"

#include "common/http/headers.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::size_t kMaxLineBytes = 4 * 1024 * 1024;

}  // namespace

Result<json::Value> TextParser::parse(std::string_view text) {
    auto value = json_.parse(text);
    if (value) return value;
    const auto mended = mend_halves(text, HalfPair::mark);
    if (!mended) return value;
    has_halves_ = true;
    return json_.parse(*mended);
}

Status EventReader::feed(std::string_view bytes, async::TimePoint at) {
    last_at_ = at;
    if (const Status fed = events_.feed(bytes); !fed) return fed;
    while (const auto event = events_.next()) {
        // A sign of life of some servers.
        if (http::trim(event->data).empty()) continue;
        if (const Status taken = take(*event, at); !taken) return taken;
    }
    return {};
}

Status LineReader::feed(std::string_view bytes, async::TimePoint at) {
    last_at_ = at;
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n')) {
        const std::string_view part = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        // The common case, a line that came in one piece, is not copied.
        const std::string joined =
            rest_.empty() ? std::string() : std::exchange(rest_, {}).append(part);
        if (const Status taken = take_line(joined.empty() ? part : joined, at); !taken)
            return taken;
    }
    if (rest_.size() + bytes.size() > kMaxLineBytes) {
        return Error{ErrorKind::too_large, "a line of the stream is too long"};
    }
    rest_ += bytes;
    return {};
}

Status LineReader::take_rest() {
    return take_line(std::exchange(rest_, {}), last_at_);
}

Status LineReader::take_line(std::string_view line, async::TimePoint at) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (http::trim(line).empty()) return {};
    const auto value = json_.parse(line);
    if (!value) return value.error();
    return take(*value, at);
}

bool is_done_mark(const http::Event& event) {
    return http::trim(event.data) == "[DONE]";
}

Error broken_off() {
    return {ErrorKind::transient, "the stream ended before the answer was complete"};
}

}  // namespace evalfleet::worker
