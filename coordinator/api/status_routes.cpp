#include "coordinator/api/status_routes.hpp"

#include "common/http/problem.hpp"

#include <string>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

asio::awaitable<http::Reply> show_metrics(const metrics::Registry& metrics) {
    http::Reply reply = http::Reply::text(metrics.text());
    reply.headers.set("Content-Type", std::string(metrics::kContentType));
    co_return reply;
}

asio::awaitable<http::Reply> show_health() {
    co_return http::Reply::text("alive\n");
}

asio::awaitable<http::Reply> show_readiness(const runs::RunRegistry& registry,
                                            const runs::PoolWatch& pool_watch) {
    if (!registry.is_ready())
        co_return http::Problem{.status = 503, .detail = "the store is being read"}.to_reply();
    if (!pool_watch.view().reachable)
        co_return http::Problem{.status = 503, .detail = "Redis is away"}.to_reply();
    co_return http::Reply::text("ready\n");
}

// What the pool and the runs look like, brought up to date at every scrape.
void add_figures(metrics::Registry& metrics, const runs::RunRegistry& registry,
                 const runs::PoolWatch& pool_watch) {
    auto in_flight = metrics.gauge("evalfleet_coordinator_leased_jobs", "Jobs that workers hold.");
    auto delayed =
        metrics.gauge("evalfleet_coordinator_delayed_jobs", "Jobs that wait for a retry.");
    auto workers = metrics.gauge("evalfleet_coordinator_workers", "Workers that sent a heartbeat.");
    auto used = metrics.gauge("evalfleet_coordinator_redis_used_bytes", "Memory that Redis uses.");
    auto trials = metrics.gauge("evalfleet_coordinator_trials", "Trials of runs kept, in all.");
    auto done = metrics.gauge("evalfleet_coordinator_trials_done", "Trials that are in the log.");
    metrics.on_collect([=, &registry, &pool_watch]() mutable {
        const runs::PoolWatch::View& view = pool_watch.view();
        in_flight.set(static_cast<double>(view.stats.leased));
        delayed.set(static_cast<double>(view.stats.delayed));
        workers.set(static_cast<double>(view.stats.workers));
        used.set(static_cast<double>(view.memory.used_bytes));
        std::uint64_t all = 0;
        std::uint64_t finished = 0;
        for (const runs::Progress& progress : registry.progress()) {
            all += progress.total;
            finished += progress.done;
        }
        trials.set(static_cast<double>(all));
        done.set(static_cast<double>(finished));
    });
}

}  // namespace

void add_status_routes(http::Router& router, metrics::Registry& metrics,
                       const runs::RunRegistry& registry, const runs::PoolWatch& pool_watch) {
    using Context = http::RequestContext;
    add_figures(metrics, registry, pool_watch);
    router.add("GET", "/metrics", [&metrics](Context&) { return show_metrics(metrics); });
    router.add("GET", "/healthz", [](Context&) { return show_health(); });
    router.add("GET", "/readyz",
               [&registry, &pool_watch](Context&) { return show_readiness(registry, pool_watch); });
}

}  // namespace evalfleet::api
