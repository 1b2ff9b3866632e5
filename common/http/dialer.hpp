#pragma once

#include "common/async/clock.hpp"
#include "common/http/address_memory.hpp"
#include "common/http/resolver.hpp"
#include "common/http/stream.hpp"
#include "common/http/url.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string_view>

namespace evalfleet::http {

/// Reaches a server by whichever of its addresses answers first (happy
/// eyeballs, RFC 8305): they are tried in the resolver's order, the next one as
/// soon as one fails or `kPatience` after it was begun, without giving those up
/// that were begun before. An address that failed, or was overtaken, comes last
/// for a while; of a name none of whose addresses answered, they are looked up
/// anew. Safe to use from any thread.
class Dialer {
  public:
    static constexpr std::chrono::milliseconds kPatience{250};

    Dialer(const boost::asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver);

    /// `phase` is set to what is done now: name lookup, then connect; it must
    /// live until then. The deadline is the caller's. Errors: transient,
    /// not_found; the last address's if all failed. Cancelled: throws
    /// operation_aborted.
    [[nodiscard]] boost::asio::awaitable<Result<Stream>> dial(const Url& server,
                                                              std::string_view& phase);

  private:
    struct Race;

    [[nodiscard]] boost::asio::awaitable<void> wait(Race& race, async::TimePoint until);
    [[nodiscard]] Stream finish(Race& race);

    boost::asio::any_io_executor executor_;
    async::Clock& clock_;
    Resolver& resolver_;
    AddressMemory memory_;
};

}  // namespace evalfleet::http
