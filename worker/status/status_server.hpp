#pragma once

#include "common/async/clock.hpp"
#include "common/http/server.hpp"
#include "common/metrics/registry.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace evalfleet::worker {

/// Tells monitoring how the worker is: `/metrics`; `/healthz`, which is fine as long as the process
/// answers, Redis or not, since a restart mends nothing there; `/readyz`, which says why not when
/// the worker cannot take jobs.
class StatusServer {
  public:
    /// Why the worker is not ready; nothing if it is.
    using BlockedReason = std::function<std::optional<std::string>()>;

    /// `executor`: a strand or a single thread; as `http::Server` in all else.
    StatusServer(const boost::asio::any_io_executor& executor, async::Clock& clock,
                 std::string host, std::uint16_t port, const metrics::Registry& registry,
                 http::ServerObserver& observer, BlockedReason blocked_reason);

    [[nodiscard]] Status listen() { return server_.listen(); }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    [[nodiscard]] boost::asio::awaitable<void> run() { return server_.run(); }

  private:
    [[nodiscard]] http::Router make_router();
    [[nodiscard]] boost::asio::awaitable<http::Reply> show_metrics();
    [[nodiscard]] boost::asio::awaitable<http::Reply> show_health();
    [[nodiscard]] boost::asio::awaitable<http::Reply> show_readiness();

    const metrics::Registry& registry_;
    BlockedReason blocked_reason_;
    http::Server server_;
};

}  // namespace evalfleet::worker
