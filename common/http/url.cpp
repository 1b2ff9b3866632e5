#include "common/http/url.hpp"

#include "common/http/headers.hpp"

#include <algorithm>
#include <charconv>

namespace evalfleet::http {

namespace {

constexpr std::size_t kMaxUrlBytes = 16 * 1024;
constexpr std::size_t kMaxHostBytes = 253;  // the longest DNS name

Error refuse(std::string_view text, std::string_view why) {
    return {ErrorKind::invalid,
            "URL '" + mask_userinfo(text.substr(0, 200)) + "': " + std::string(why)};
}

std::uint16_t default_port(Scheme scheme) {
    return scheme == Scheme::https ? 443 : 80;
}

bool is_host_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

bool is_ipv6_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
}

bool is_host(std::string_view host) {
    return !host.empty() && host.size() <= kMaxHostBytes && host.front() != '.' &&
           std::all_of(host.begin(), host.end(), is_host_char);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port != 0;
}

/// "host", "host:port", "[ipv6]" or "[ipv6]:port" into `url`; what is wrong, if anything.
std::string_view parse_authority(std::string_view text, Url& url) {
    std::string_view port;
    bool has_port = false;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) return "'[' without ']'";
        url.host = to_lower(text.substr(1, close - 1));
        const bool plausible = url.host.find(':') != std::string::npos &&
                               std::all_of(url.host.begin(), url.host.end(), is_ipv6_char);
        if (!plausible) return "not an IPv6 address";
        const std::string_view rest = text.substr(close + 1);
        has_port = !rest.empty();
        if (has_port && rest.front() != ':') return "something other than a port after ']'";
        if (has_port) port = rest.substr(1);
    } else {
        const auto colon = text.find(':');
        has_port = colon != std::string_view::npos;
        if (has_port) port = text.substr(colon + 1);
        url.host = to_lower(text.substr(0, colon));
        if (!is_host(url.host)) return "not a host name";
    }
    if (has_port && !parse_port(port, url.port)) return "the port is not a number in 1..65535";
    return {};
}

}  // namespace

std::string_view to_string(Scheme scheme) noexcept {
    return scheme == Scheme::https ? "https" : "http";
}

Result<Url> Url::parse(std::string_view text) {
    if (text.size() > kMaxUrlBytes) return Error{ErrorKind::too_large, "URL longer than 16 KiB"};
    if (!is_request_target(text)) {
        return Error{ErrorKind::invalid, "URL with a space, a control or a non-ASCII character"};
    }
    const auto separator = text.find("://");
    if (separator == std::string_view::npos) return refuse(text, "no scheme");
    const std::string scheme = to_lower(text.substr(0, separator));
    if (scheme != "http" && scheme != "https") return refuse(text, "only http and https");

    Url url;
    url.scheme = scheme == "https" ? Scheme::https : Scheme::http;
    url.port = default_port(url.scheme);
    std::string_view rest = text.substr(separator + 3);
    const auto authority_end = std::min(rest.find_first_of("/?#"), rest.size());
    std::string_view authority = rest.substr(0, authority_end);
    rest = rest.substr(authority_end);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        url.userinfo = authority.substr(0, at);
        authority = authority.substr(at + 1);
    }
    if (const auto wrong = parse_authority(authority, url); !wrong.empty())
        return refuse(text, wrong);

    rest = rest.substr(0, rest.find('#'));
    url.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
    return url;
}

bool Url::has_default_port() const noexcept {
    return port == default_port(scheme);
}

std::string Url::authority() const {
    if (!has_default_port()) return host_and_port();
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string Url::host_and_port() const {
    const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return name + ":" + std::to_string(port);
}

std::string Url::redacted() const {
    std::string text(to_string(scheme));
    text += "://";
    if (!userinfo.empty()) text += "***@";
    text += authority();
    const auto query = target.find('?');
    text.append(target, 0, query);
    if (query != std::string::npos) text += "?***";
    return text;
}

Url Url::with_path_appended(std::string_view path) const {
    Url url = *this;
    const auto query = std::min(target.find('?'), target.size());
    std::string base = target.substr(0, query);
    while (base.ends_with('/'))
        base.pop_back();
    url.target = base + std::string(path) + target.substr(query);
    return url;
}

std::string mask_userinfo(std::string_view text) {
    const auto separator = text.find("://");
    const auto begin = separator == std::string_view::npos ? 0 : separator + 3;
    const auto end = std::min(text.find_first_of("/?#", begin), text.size());
    const auto at = text.substr(0, end).rfind('@');
    if (at == std::string_view::npos || at < begin) return std::string(text);
    return std::string(text.substr(0, begin)) + "***" + std::string(text.substr(at));
}

}  // namespace evalfleet::http
