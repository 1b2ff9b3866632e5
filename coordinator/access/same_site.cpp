#include "coordinator/access/same_site.hpp"

#include <algorithm>

namespace evalfleet::access {

namespace {

std::string_view without_port(std::string_view authority) {
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        return end == std::string_view::npos ? authority : authority.substr(1, end - 1);
    }
    return authority.substr(0, authority.rfind(':'));
}

}  // namespace

bool is_loopback_name(std::string_view host) {
    if (http::iequals(host, "localhost") || host == "::1") return true;
    return host.starts_with("127.") &&
           host.find_first_not_of("0123456789.") == std::string_view::npos &&
           std::count(host.begin(), host.end(), '.') == 3;
}

bool is_from_another_site(const http::Headers& headers) {
    if (const auto site = headers.find("Sec-Fetch-Site"))
        if (*site == "cross-site" || *site == "same-site") return true;
    const auto origin = headers.find("Origin");
    if (!origin) return false;
    const auto scheme_end = origin->find("://");
    if (scheme_end == std::string_view::npos) return true;  // "null": a sandbox, a file
    const auto host = headers.find("Host");
    return !host || !http::iequals(origin->substr(scheme_end + 3), *host);
}

bool is_for_loopback(const http::Headers& headers) {
    const auto host = headers.find("Host");
    return host && is_loopback_name(without_port(*host));
}

}  // namespace evalfleet::access
