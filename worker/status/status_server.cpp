#include "worker/status/status_server.hpp"

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

StatusServer::StatusServer(const asio::any_io_executor& executor, async::Clock& clock,
                           std::string host, std::uint16_t port, const metrics::Registry& registry,
                           http::ServerObserver& observer, BlockedReason blocked_reason)
    : registry_(registry),
      blocked_reason_(std::move(blocked_reason)),
      server_(executor, clock, {.host = std::move(host), .port = port}, make_router(), &observer) {}

http::Router StatusServer::make_router() {
    http::Router router;
    const http::RouteOptions probe{.is_probe = true};
    router.add("GET", "/metrics", [this](http::RequestContext&) { return show_metrics(); });
    router.add(
        "GET", "/healthz", [this](http::RequestContext&) { return show_health(); }, probe);
    router.add(
        "GET", "/readyz", [this](http::RequestContext&) { return show_readiness(); }, probe);
    return router;
}

asio::awaitable<http::Reply> StatusServer::show_metrics() {
    http::Reply reply = http::Reply::text(registry_.text());
    reply.headers.set("Content-Type", std::string(metrics::kContentType));
    co_return reply;
}

asio::awaitable<http::Reply> StatusServer::show_health() {
    co_return http::Reply::text("ok\n");
}

asio::awaitable<http::Reply> StatusServer::show_readiness() {
    const auto blocked_reason = blocked_reason_();
    http::Reply reply = http::Reply::text(blocked_reason ? *blocked_reason + "\n" : "ready\n");
    if (blocked_reason) reply.status = 503;
    co_return reply;
}

}  // namespace evalfleet::worker
