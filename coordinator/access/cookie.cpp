#include "coordinator/access/cookie.hpp"

namespace evalfleet::access {

namespace {

std::string_view find_in(std::string_view line, std::string_view name) {
    while (!line.empty()) {
        const auto end = line.find(';');
        const std::string_view pair = http::trim(line.substr(0, end));
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == name)
            return pair.substr(equals + 1);
        line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
    }
    return {};
}

}  // namespace

std::string_view cookie_of(const http::Headers& headers, std::string_view name) {
    for (const auto& [field, value] : headers) {
        if (!http::iequals(field, "Cookie")) continue;
        if (const auto found = find_in(value, name); !found.empty()) return found;
    }
    return {};
}

std::string set_session_cookie(std::string_view id, std::chrono::seconds lifetime, bool is_tls) {
    std::string cookie(kSessionCookie);
    cookie.append("=").append(id).append("; Path=/; HttpOnly; SameSite=Strict; Max-Age=");
    cookie += std::to_string(lifetime.count());
    if (is_tls) cookie += "; Secure";
    return cookie;
}

}  // namespace evalfleet::access
