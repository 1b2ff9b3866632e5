#include "common/http/sse.hpp"

#include <charconv>
#include <utility>

namespace evalfleet::http {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error too_large(std::string_view what) {
    return {ErrorKind::too_large, "server-sent events: " + std::string(what) + " is too long"};
}

bool is_all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void append_single_line(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    for (const char c : value) {
        if (c != '\r' && c != '\n' && c != '\0') out += c;
    }
    out += '\n';
}

}  // namespace

Status SseParser::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        if (std::exchange(skip_line_feed_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const auto end = bytes.find_first_of("\r\n");
        const std::string_view part = bytes.substr(0, end);
        if (line_.size() + part.size() > limits_.max_line_bytes) return too_large("a line");
        if (end == std::string_view::npos) {
            line_ += part;
            return {};
        }
        skip_line_feed_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);

        // The common case, a line that came in one piece, is not copied.
        const std::string joined =
            line_.empty() ? std::string() : std::exchange(line_, {}) + std::string(part);
        if (auto taken = take_line(joined.empty() ? part : joined); !taken) return taken;
    }
    return {};
}

Status SseParser::take_line(std::string_view line) {
    if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
        line.remove_prefix(kByteOrderMark.size());
    }
    if (line.empty()) {
        dispatch();
        return {};
    }
    const auto colon = line.find(':');
    if (colon == 0) return {};  // a comment
    if (colon == std::string_view::npos) return take_field(line, {});
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    return take_field(line.substr(0, colon), value);
}

Status SseParser::take_field(std::string_view name, std::string_view value) {
    if (name == "data") {
        if (data_.size() + value.size() + 1 > limits_.max_event_bytes) return too_large("an event");
        data_.append(value).append(1, '\n');
    } else if (name == "event") {
        type_ = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) id_ = value;
    } else if (name == "retry" && is_all_digits(value)) {
        std::int64_t count = 0;
        const auto parsed = std::from_chars(value.data(), value.data() + value.size(), count);
        if (parsed.ec == std::errc()) retry_ = std::chrono::milliseconds(count);
    }
    return {};
}

void SseParser::dispatch() {
    last_id_ = id_;
    if (!data_.empty()) {
        data_.pop_back();  // the LF after the last line
        events_.push_back({std::move(type_), std::move(data_), last_id_});
    }
    type_.clear();
    data_.clear();
}

std::optional<Event> SseParser::next() {
    if (events_.empty()) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
}

std::string encode_event(const Event& event) {
    std::string out;
    out.reserve(event.data.size() + event.type.size() + event.id.size() + 32);
    if (!event.type.empty()) append_single_line(out, "event: ", event.type);
    if (!event.id.empty()) append_single_line(out, "id: ", event.id);
    std::string_view rest = event.data;
    for (;;) {
        const auto end = rest.find_first_of("\r\n");
        out.append("data: ").append(rest.substr(0, end)).append(1, '\n');
        if (end == std::string_view::npos) break;
        const bool is_pair = rest.substr(end, 2) == "\r\n";
        rest.remove_prefix(end + (is_pair ? 2 : 1));
    }
    return out += '\n';
}

}  // namespace evalfleet::http
