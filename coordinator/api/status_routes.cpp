#include "coordinator/api/status_routes.hpp"

#include "common/http/problem.hpp"

#include <string>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

asio::awaitable<http::Reply> show_metrics(const metrics::Registry& metrics,
                                          access::Gatekeeper* guard,
                                          const http::RequestContext& request) {
    if (guard != nullptr) {
        auto admission = guard->admit(request, access::Role::reader);
        if (admission.refusal) co_return std::move(*admission.refusal);
    }
    http::Reply reply = http::Reply::text(metrics.text());
    reply.headers.set("Content-Type", std::string(metrics::kContentType));
    co_return reply;
}

asio::awaitable<http::Reply> show_health() {
    co_return http::Reply::text("alive\n");
}

asio::awaitable<http::Reply> show_readiness(const runs::RunRegistry& registry,
                                            const runs::PoolWatch& pool_watch) {
    if (std::string blocked_reason = registry.blocked_reason(); !blocked_reason.empty())
        co_return http::Problem{.status = 503, .detail = std::move(blocked_reason)}.to_reply();
    const auto& pool = pool_watch.view();
    if (!pool.reachable) {
        // Nobody is known here: what Redis said stands in the log.
        const char* why = pool.connected
                              ? "Redis answers, but the queue cannot be used; the log says why"
                              : "Redis is away";
        co_return http::Problem{.status = 503, .detail = why}.to_reply();
    }
    co_return http::Reply::text("ready\n");
}

}  // namespace

void add_status_routes(http::Router& router, const metrics::Registry& metrics,
                       const runs::RunRegistry& registry, const runs::PoolWatch& pool_watch,
                       access::Gatekeeper* metrics_guard) {
    using Context = http::RequestContext;
    router.add("GET", "/metrics", [&metrics, metrics_guard](Context& request) {
        return show_metrics(metrics, metrics_guard, request);
    });
    const http::RouteOptions probe{.is_probe = true};
    router.add(
        "GET", "/healthz", [](Context&) { return show_health(); }, probe);
    router.add(
        "GET", "/readyz",
        [&registry, &pool_watch](Context&) { return show_readiness(registry, pool_watch); }, probe);
}

}  // namespace evalfleet::api
