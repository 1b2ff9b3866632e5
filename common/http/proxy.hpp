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
    /// For http URLs: "http://[user:password@]host:port"; https://, socks5://, socks5h:// as well.
    std::string http_proxy{};
    std::string https_proxy{};             ///< for https URLs, likewise
    std::string no_proxy{};                ///< hosts reached directly, comma-separated
    std::string http_name = "HTTP_PROXY";  ///< where the first came from, for messages
    std::string https_name = "HTTPS_PROXY";
};

/// How a proxy is spoken to.
struct Proxy {
    enum class Kind {
        http,          ///< in plain HTTP; a tunnel for https URLs
        https,         ///< the same over TLS
        socks5,        ///< names are looked up here
        socks5_names,  ///< socks5h: the proxy looks them up
    };
    Kind kind = Kind::http;
    Url url{};  ///< its place and userinfo, whatever its scheme says

    /// True for those that forward requests for http URLs instead of a connection.
    [[nodiscard]] bool forwards() const noexcept {
        return kind == Kind::http || kind == Kind::https;
    }
};

/// Decides whether a request goes through a proxy. Pure.
///
/// Rules of NO_PROXY: `*` is every host; `example.com` and `.example.com` are that name and all
/// names under it; `host:port` holds for that port only; `10.0.0.0/8` or `fd00::/8` are address
/// ranges and match literal addresses only, since names are not looked up for this.
class ProxyRules {
  public:
    /// Fails on a proxy of another kind than those.
    [[nodiscard]] static Result<ProxyRules> create(const ProxyConfig& config);

    /// The proxy for `url`; null to go directly. Good as long as the rules.
    [[nodiscard]] const Proxy* choose(const Url& url) const;

    [[nodiscard]] bool is_excluded(std::string_view host, std::uint16_t port) const;

  private:
    struct Exclusion {
        std::string host;  // without the leading dot
        std::optional<std::uint16_t> port;
        std::optional<unsigned> prefix_bits;  // of an address range
    };

    static bool matches(const Exclusion& exclusion, std::string_view host);

    std::optional<Proxy> http_proxy_;
    std::optional<Proxy> https_proxy_;
    std::vector<Exclusion> exclusions_;
    bool excludes_all_ = false;
};

/// The value of `Authorization` or `Proxy-Authorization` for the userinfo of a URL; empty if it has
/// none.
[[nodiscard]] std::string basic_credentials(const Url& url);

}  // namespace evalfleet::http
