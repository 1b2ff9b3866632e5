#pragma once

#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::http {

/// The values of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Empty means none. (Read from the
/// environment in one place, by the program's configuration.)
struct ProxyConfig {
    std::string http_proxy{};   ///< for http URLs: "http://[user:password@]host:port"
    std::string https_proxy{};  ///< for https URLs; the proxy itself is spoken to in plain HTTP
    std::string no_proxy{};     ///< hosts reached directly, comma-separated
};

/// Decides whether a request goes through a proxy. Pure.
///
/// Rules of NO_PROXY: `*` is every host; `example.com` and `.example.com` are that name and all
/// names under it; `host:port` holds for that port only; `10.0.0.0/8` or `fd00::/8` are address
/// ranges and match literal addresses only, since names are not looked up for this.
class ProxyRules {
  public:
    /// Fails on a proxy that is not an http URL.
    [[nodiscard]] static Result<ProxyRules> create(const ProxyConfig& config);

    /// The proxy for `url`; null to go directly. Good as long as the rules.
    [[nodiscard]] const Url* choose(const Url& url) const;

    [[nodiscard]] bool is_excluded(std::string_view host, std::uint16_t port) const;

  private:
    struct Exclusion {
        std::string host;  // without the leading dot
        std::optional<std::uint16_t> port;
        std::optional<unsigned> prefix_bits;  // of an address range
    };

    static bool matches(const Exclusion& exclusion, std::string_view host);

    std::optional<Url> http_proxy_;
    std::optional<Url> https_proxy_;
    std::vector<Exclusion> exclusions_;
    bool excludes_all_ = false;
};

/// The value of `Authorization` or `Proxy-Authorization` for the userinfo of a URL; empty if it has
/// none.
[[nodiscard]] std::string basic_credentials(const Url& url);

}  // namespace evalfleet::http
