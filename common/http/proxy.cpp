#include "common/http/proxy.hpp"

#include "common/http/headers.hpp"
#include "common/http/percent.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace evalfleet::http {

namespace {

using boost::asio::ip::address;

std::optional<address> parse_address(std::string_view text) {
    boost::system::error_code error;
    const address parsed = boost::asio::ip::make_address(std::string(text), error);
    if (error) return std::nullopt;
    return parsed;
}

template <class Bytes>
bool same_prefix(const Bytes& a, const Bytes& b, unsigned bits) {
    if (bits > a.size() * 8) return false;
    for (unsigned i = 0; i < bits; ++i) {
        const unsigned mask = 0x80U >> (i % 8);
        if ((a[i / 8] & mask) != (b[i / 8] & mask)) return false;
    }
    return true;
}

bool in_range(const address& range, unsigned bits, const address& candidate) {
    if (range.is_v4() != candidate.is_v4()) return false;
    return range.is_v4()
               ? same_prefix(range.to_v4().to_bytes(), candidate.to_v4().to_bytes(), bits)
               : same_prefix(range.to_v6().to_bytes(), candidate.to_v6().to_bytes(), bits);
}

template <class Number>
std::optional<Number> to_number(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

/// Splits "host:port" and "[v6]:port"; a bare IPv6 address has no port.
std::pair<std::string_view, std::optional<std::uint16_t>> split_port(std::string_view text) {
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) return {text, {}};
        const std::string_view rest = text.substr(close + 1);
        return {text.substr(1, close - 1),
                rest.starts_with(':') ? to_number<std::uint16_t>(rest.substr(1)) : std::nullopt};
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon != text.rfind(':')) return {text, {}};
    return {text.substr(0, colon), to_number<std::uint16_t>(text.substr(colon + 1))};
}

struct KnownScheme {
    std::string_view prefix;
    Proxy::Kind kind;
    std::string_view as;  // what a Url can be parsed from
};

constexpr std::array kSchemes{
    KnownScheme{"http://", Proxy::Kind::http, "http://"},
    KnownScheme{"https://", Proxy::Kind::https, "https://"},
    KnownScheme{"socks5://", Proxy::Kind::socks5, "http://"},
    KnownScheme{"socks5h://", Proxy::Kind::socks5_names, "http://"},
};
constexpr std::uint16_t kSocksPort = 1080;

Result<std::optional<Proxy>> parse_proxy(std::string_view name, const std::string& text) {
    if (text.empty()) return std::optional<Proxy>();
    // A bare "host:port" is customary in these variables.
    const std::string full = text.find("://") == std::string::npos ? "http://" + text : text;
    const auto scheme = std::find_if(kSchemes.begin(), kSchemes.end(), [&](const KnownScheme& one) {
        return iequals(std::string_view(full).substr(0, one.prefix.size()), one.prefix);
    });
    if (scheme == kSchemes.end())
        return Error{ErrorKind::invalid,
                     std::string(name) + ": found " + full.substr(0, full.find(':')) +
                         "://, allowed: a proxy of http://, https://, socks5:// or socks5h://"};
    const std::string_view rest = std::string_view(full).substr(scheme->prefix.size());
    auto url = Url::parse(std::string(scheme->as) + std::string(rest));
    if (!url) return url.error().within(name);
    Proxy proxy{scheme->kind, std::move(*url)};
    const std::string_view place = rest.substr(rest.rfind('@') + 1);
    const bool has_port = split_port(place.substr(0, place.find('/'))).second.has_value();
    if (!proxy.forwards() && !has_port) proxy.url.port = kSocksPort;
    return std::optional<Proxy>(std::move(proxy));
}

std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> items;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = trim(text.substr(0, comma));
        if (!item.empty()) items.push_back(item);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return items;
}

}  // namespace

Result<ProxyRules> ProxyRules::create(const ProxyConfig& config) {
    auto http_proxy = parse_proxy(config.http_name, config.http_proxy);
    if (!http_proxy) return http_proxy.error();
    auto https_proxy = parse_proxy(config.https_name, config.https_proxy);
    if (!https_proxy) return https_proxy.error();

    ProxyRules rules;
    rules.http_proxy_ = std::move(*http_proxy);
    rules.https_proxy_ = std::move(*https_proxy);
    for (const std::string_view item : split_list(config.no_proxy)) {
        if (item == "*") rules.excludes_all_ = true;
        auto [host, port] = split_port(item);
        Exclusion exclusion{std::string(host), port, {}};
        if (const auto slash = exclusion.host.find('/'); slash != std::string::npos) {
            exclusion.prefix_bits =
                to_number<unsigned>(std::string_view(exclusion.host).substr(slash + 1));
            exclusion.host.resize(slash);
        }
        while (exclusion.host.starts_with('.'))
            exclusion.host.erase(0, 1);
        if (!exclusion.host.empty()) rules.exclusions_.push_back(std::move(exclusion));
    }
    return rules;
}

bool ProxyRules::matches(const Exclusion& exclusion, std::string_view host) {
    const auto named = parse_address(exclusion.host);
    const auto asked = parse_address(host);
    if (named && asked) {
        return exclusion.prefix_bits ? in_range(*named, *exclusion.prefix_bits, *asked)
                                     : *named == *asked;
    }
    if (named || asked || exclusion.prefix_bits) return false;
    if (iequals(exclusion.host, host)) return true;
    if (host.size() <= exclusion.host.size()) return false;
    const std::string_view tail = host.substr(host.size() - exclusion.host.size());
    return iequals(tail, exclusion.host) && host[host.size() - tail.size() - 1] == '.';
}

bool ProxyRules::is_excluded(std::string_view host, std::uint16_t port) const {
    if (excludes_all_) return true;
    for (const auto& exclusion : exclusions_) {
        if (exclusion.port && *exclusion.port != port) continue;
        if (matches(exclusion, host)) return true;
    }
    return false;
}

const Proxy* ProxyRules::choose(const Url& url) const {
    const auto& proxy = url.scheme == Scheme::https ? https_proxy_ : http_proxy_;
    if (!proxy || is_excluded(url.host, url.port)) return nullptr;
    return &*proxy;
}

std::string basic_credentials(const Url& url) {
    if (url.userinfo.empty()) return {};
    const std::string credentials = percent_decode(url.userinfo).value_or(url.userinfo);
    const std::vector<unsigned char> plain(credentials.begin(), credentials.end());
    std::vector<unsigned char> encoded((plain.size() + 2) / 3 * 4 + 1);
    const int size = EVP_EncodeBlock(encoded.data(), plain.data(), static_cast<int>(plain.size()));
    return "Basic " + std::string(encoded.begin(), encoded.begin() + size);
}

}  // namespace evalfleet::http
