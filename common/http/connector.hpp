#pragma once

#include "common/async/clock.hpp"
#include "common/http/dialer.hpp"
#include "common/http/proxy.hpp"
#include "common/http/resolver.hpp"
#include "common/http/stream.hpp"
#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include <string>
#include <string_view>

namespace evalfleet::http {

/// Makes a connection ready to carry requests: looks the name up, tries the addresses, goes through
/// the proxy if there is one, shakes hands. Safe to use from any thread.
class Connector {
  public:
    /// `proxy_tls`: for proxies that are spoken to over TLS.
    Connector(const boost::asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver,
              boost::asio::ssl::context& proxy_tls, std::string user_agent);

    /// To the server of `url`, through `proxy` if that is not null, with `tls` if it is an https
    /// URL; all must live until then. `phase` always says what is done now, and must live as long.
    /// The deadline is the caller's to enforce.
    /// Errors: transient, tls, not_found, denied (by the proxy), invalid (malformed answer of it).
    [[nodiscard]] boost::asio::awaitable<Result<Stream>> connect(const Url& url, const Proxy* proxy,
                                                                 boost::asio::ssl::context& tls,
                                                                 TlsSession resume,
                                                                 std::string_view& phase);

  private:
    [[nodiscard]] boost::asio::awaitable<Status> go_through(Stream& stream, const Url& url,
                                                            const Proxy& proxy,
                                                            std::string_view& phase);
    [[nodiscard]] boost::asio::awaitable<Status> open_tunnel(Stream& stream, const Url& url,
                                                             const Url& proxy);
    [[nodiscard]] boost::asio::awaitable<Status> open_socks(Stream& stream, const Url& url,
                                                            const Proxy& proxy);

    Resolver& resolver_;
    Dialer dialer_;
    boost::asio::ssl::context& proxy_tls_;
    std::string user_agent_;
};

}  // namespace evalfleet::http
