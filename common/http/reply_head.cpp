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

std::uint64_t random_number() {
    thread_local std::mt19937_64 engine{std::random_device{}()};
    return engine();
}

}  // namespace

Framing choose_framing(const Reply& reply, int version) {
    if (has_no_body(reply.status)) return Framing::none;
    if (!reply.producer) return Framing::length;
    return version >= 11 ? Framing::chunked : Framing::close;
}

std::string format_reply_head(const Reply& reply, const ReplyShape& shape,
                              std::chrono::system_clock::time_point now) {
    std::string head =
        fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", reply.status, reason_phrase(reply.status),
                    format_date(std::chrono::floor<std::chrono::seconds>(now)));
    if (shape.framing == Framing::length)
        head += fmt::format("Content-Length: {}\r\n", shape.length);
    if (shape.framing == Framing::chunked) head += "Transfer-Encoding: chunked\r\n";
    if (!shape.keep_alive) head += "Connection: close\r\n";
    if (shape.keep_alive && shape.version < 11) head += "Connection: keep-alive\r\n";
    if (!shape.request_id.empty()) head += fmt::format("X-Request-Id: {}\r\n", shape.request_id);
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
