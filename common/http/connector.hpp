#pragma once

#include "common/async/clock.hpp"
#include "common/http/resolver.hpp"
#include "common/http/stream.hpp"
#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include <string>

namespace evalfleet::http {

/// Makes a connection ready to carry requests: looks the name up, tries the addresses, goes through
/// the proxy if there is one, shakes hands. Safe to use from any thread.
class Connector {
  public:
    Connector(const boost::asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver,
              boost::asio::ssl::context& tls, std::string user_agent);

    /// To the server of `url`, through `proxy` if that is not null; both must live until then.
    /// Several addresses share the time until `deadline`, so that a silent one leaves some for the
    /// others; the deadline itself is the caller's to enforce.
    /// Errors: transient, tls, not_found, denied (by the proxy), invalid (malformed answer of it).
    [[nodiscard]] boost::asio::awaitable<Result<Stream>> connect(const Url& url, const Url* proxy,
                                                                 TlsSession resume,
                                                                 async::TimePoint deadline);

  private:
    using Address = boost::asio::ip::address;

    [[nodiscard]] boost::asio::awaitable<Result<Stream>> dial(const Url& server,
                                                              async::TimePoint deadline);
    [[nodiscard]] boost::asio::awaitable<Result<Stream>> dial_address(Address address,
                                                                      std::uint16_t port);
    [[nodiscard]] boost::asio::awaitable<Status> open_tunnel(Stream& stream, const Url& url,
                                                             const Url& proxy);

    boost::asio::any_io_executor executor_;
    async::Clock& clock_;
    Resolver& resolver_;
    boost::asio::ssl::context& tls_;
    std::string user_agent_;
};

}  // namespace evalfleet::http
