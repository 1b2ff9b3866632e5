#include "common/http/reply_head.hpp"

#include "common/http/date.hpp"
#include "common/http/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace evalfleet::http {

namespace {

constexpr std::size_t kMaxRequestIdBytes = 64;

bool has_no_body(int status) {
    return status / 100 == 1 || status == 204 || status == 304;
}

bool is_id_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
}

void append_missing(std::string& head, const Headers& house, const Headers& own) {
    for (const auto& [name, value] : house)
        if (!own.contains(name)) head += fmt::format("{}: {}\r\n", name, value);
}

std::uint64_t random_number() {
    thread_local std::mt19937_64 engine{std::random_device{}()};
    return engine();
}

/// The date of a reply, written once a second.
const std::string& date_of(std::chrono::system_clock::time_point now) {
    thread_local std::chrono::sys_seconds second{};
    thread_local std::string text;
    const auto current = std::chrono::floor<std::chrono::seconds>(now);
    if (text.empty() || current != second) {
        second = current;
        text = format_date(current);
    }
    return text;
}

}  // namespace

Framing choose_framing(const Reply& reply, int version) {
    if (has_no_body(reply.status)) return Framing::none;
    if (!reply.producer) return Framing::length;
    return version >= 11 ? Framing::chunked : Framing::close;
}

std::string format_reply_head(const Reply& reply, const ReplyShape& shape,
                              std::chrono::system_clock::time_point now) {
    const auto number = [](std::uint64_t value) { return fmt::format_int(value).str(); };
    std::string head;
    head.reserve(512);
    head.append("HTTP/1.1 ").append(number(static_cast<unsigned>(reply.status))).append(" ");
    head.append(reason_phrase(reply.status)).append("\r\nDate: ").append(date_of(now));
    head.append("\r\n");
    if (shape.framing == Framing::length)
        head.append("Content-Length: ").append(number(shape.length)).append("\r\n");
    if (shape.framing == Framing::chunked) head += "Transfer-Encoding: chunked\r\n";
    if (!shape.keep_alive) head += "Connection: close\r\n";
    if (shape.keep_alive && shape.version < 11) head += "Connection: keep-alive\r\n";
    if (!shape.request_id.empty())
        head.append("X-Request-Id: ").append(shape.request_id).append("\r\n");
    if (shape.house_headers != nullptr) append_missing(head, *shape.house_headers, reply.headers);
    reply.headers.append_to(head);
    return head += "\r\n";
}

std::string choose_request_id(std::optional<std::string_view> offered) {
    const bool is_sane = offered && !offered->empty() && offered->size() <= kMaxRequestIdBytes &&
                         std::all_of(offered->begin(), offered->end(), is_id_char);
    if (is_sane) return std::string(*offered);
    return fmt::format("{:016x}", random_number());
}

}  // namespace evalfleet::http
