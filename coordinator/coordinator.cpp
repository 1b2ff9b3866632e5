#include "coordinator/coordinator.hpp"

#include "common/async/blocking_pool.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"
#include "common/files/atomic_file.hpp"
#include "common/http/server.hpp"
#include "common/job/environment.hpp"
#include "common/metrics/registry.hpp"
#include "common/providers/provider_config.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/redis/client.hpp"
#include "common/redis/function_library.hpp"
#include "common/telemetry/http_figures.hpp"
#include "common/telemetry/loop_probe.hpp"
#include "common/telemetry/queue_calls.hpp"
#include "common/telemetry/redis_figures.hpp"
#include "coordinator/api/api.hpp"
#include "coordinator/api/status_routes.hpp"
#include "coordinator/exports/exporter.hpp"
#include "coordinator/metrics/ended_runs.hpp"
#include "coordinator/metrics/fleet_figures.hpp"
#include "coordinator/metrics/store_watch.hpp"
#include "coordinator/runs/leadership.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_registry.hpp"
#include "coordinator/traces/trace_exporter.hpp"
#include "coordinator/webhooks/webhooks.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evalfleet::coordinator {

namespace asio = boost::asio;

namespace {

// At the end, for traces of the last trials: orchestrators kill after 10 s or more.
constexpr std::chrono::seconds kTracesPatience{3};

// Of the queue, as far as a coordinator calls them.
constexpr std::array<std::string_view, 12> kQueueFunctions{"own",   "enq",   "ack",    "cut",
                                                           "check", "jobs",  "remove", "unheld",
                                                           "mend",  "state", "reap",   "stats"};

redis::LibraryText queue_functions() {
    auto library = redis::parse_library(std::string(queue::functions_text()));
    if (!library) throw std::logic_error(library.error().message);
    return std::move(*library);
}

SlotLimits blocking_read_limits(const CoordinatorConfig& config) {
    SlotLimits limits;
    limits.most = config.max_desired_slots;
    if (config.providers.empty()) return limits;
    const auto providers = providers::blocking_read_providers_file(config.providers);
    if (!providers) return limits;
    for (const auto& [name, provider] : *providers)
        limits.providers.emplace(
            name, ProviderLimits{provider.limits.rpm, provider.limits.max_concurrent});
    return limits;
}

redis::Config blocking_config(redis::Config config) {
    config.client_name += "-results";
    config.longest_block = std::chrono::seconds(1);
    return config;
}

runs::Leadership::Config leadership_config(const CoordinatorConfig& config) {
    runs::Leadership::Config leadership;
    leadership.store = config.store;
    leadership.address = config.listen;
    leadership.takeover_after = config.takeover_after;
    return leadership;
}

// Every connection takes a descriptor; what the system allows us is taken. Some stay for files and
// for Redis, whoever calls.
std::size_t descriptors_for_callers() {
    constexpr rlim_t kOurOwn = 256;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kOurOwn;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 2 * kOurOwn ? limit.rlim_cur - kOurOwn : limit.rlim_cur / 2;
}

http::ServerConfig server_config(const CoordinatorConfig& config) {
    const auto address = config.address();
    http::ServerConfig server;
    server.host = address->host;
    server.port = address->port;
    server.max_connections = std::min(config.max_connections, descriptors_for_callers());
    const bool is_tls = !config.tls_cert.empty();
    if (is_tls)
        server.tls =
            http::TlsServerConfig{.certificate_file = config.tls_cert, .key_file = config.tls_key};
    server.reply_headers = api::house_headers(is_tls);
    return server;
}

api::ApiConfig api_config(const CoordinatorConfig& config) {
    api::ApiConfig api;
    api.pool_name = config.pool;
    api.store = config.store;
    api.dataset_roots = config.dataset_roots;
    api.providers_file = config.providers;
    api.tokens_file = config.tokens_file;
    api.max_dataset_bytes = config.max_dataset_bytes.bytes;
    api.max_trials = config.max_trials;
    api.is_tls = !config.tls_cert.empty();
    api.is_view = config.is_view();
    api.limits.per_token = {config.rate_limit, 2 * config.rate_limit};
    api.limits.per_address = {config.address_rate_limit, 2 * config.address_rate_limit};
    return api;
}

}  // namespace

struct Coordinator::Parts {
    Parts(async::Clock& clock_, CoordinatorConfig config_, log::Logger logger_)
        : config(std::move(config_)),
          clock(clock_),
          logger(std::move(logger_)),
          leadership(leadership_config(config), clock, logger.with("leadership")),
          client(context.get_executor(), clock, *config.redis()),
          functions(client, queue_functions()),
          pool_queue(functions, queue::Keys(config.pool)),
          pool_watch(pool_queue, permit_queue, roster, client, runs_metrics, clock,
                     logger.with("pool")),
          registry(context.get_executor(), config.store, deps(), leadership,
                   *config.retention_bounds(),
                   [store = config.store] { return blocking_recall_ended(store, kMostEnded); }),
          api(api_config(config), registry, pool_watch, client, requests, clock,
              logger.with("api")),
          server(context.get_executor(), clock, server_config(config), router(), &http_figures),
          signals(context.get_executor(), {SIGTERM, SIGINT}) {
        if (!config.webhooks.empty()) {
            notices.emplace(
                context.get_executor(), config.webhooks, config.store,
                [this] { return leadership.leads(); }, pool, clock, logger.with("webhooks"));
        }
        if (!config.export_to.empty()) {
            exporter.emplace(
                context.get_executor(),
                exports::ExporterConfig{config.export_to,
                                        {config.export_s3_endpoint, config.export_s3_region}},
                config.store, [this] { return leadership.leads(); }, clock, export_metrics,
                logger.with("exports"));
        }
        if (!config.traces.empty()) {
            traces.emplace(context.get_executor(), config.traces, pool, clock, trace_metrics,
                           logger.with("traces"));
        }
        queue_calls.watch(functions);
        telemetry::publish(metrics, client, "main");
        publish_fleet(metrics, registry, pool_watch, {config.pool, blocking_read_limits(config)});
        metrics.on_collect(
            [this, leader = metrics.gauge("evalfleet_coordinator_leader",
                                          "1 if it leads its store, 0 on a standby")]() mutable {
                leader.set(leadership.leads() ? 1 : 0);
            });
    }

    runs::RunDeps deps() {
        runs::RunDeps deps{client,
                           functions,
                           queue::Keys(config.pool),
                           blocking_config(*config.redis()),
                           pool_watch,
                           runs_metrics,
                           pool,
                           durable,
                           heavy,
                           requests,
                           clock,
                           logger,
                           {config.window_jobs, config.window_bytes.bytes},
                           {},
                           {}};
        deps.audit.interval = config.audit_interval;
        deps.audit.enabled = !config.is_switched_off("audit");
        deps.collect.drop_repeats = !config.is_switched_off("dedup");
        deps.collect.on_record = [this](std::string_view run_id, std::uint64_t index,
                                        std::string_view record) {
            if (traces) traces->offer(run_id, index, record);
        };
        deps.pause_after_failures = config.pause_after_failures;
        deps.providers_file = config.providers;
        deps.environment = job::parse_environment(config.environment).value();
        return deps;
    }

    http::Router router() {
        http::Router routes;
        api.install(routes);
        access::Gatekeeper* guard = config.metrics_token ? &api.gatekeeper() : nullptr;
        api::add_status_routes(routes, metrics, registry, pool_watch, guard);
        return routes;
    }

    asio::awaitable<void> await_signal() {
        const int signal = co_await signals.next();
        logger.info("stopping", {{"signal", signal}});
        if (traces) co_await traces->drain(clock.now() + kTracesPatience);
    }

    asio::awaitable<void> lead() {
        co_await leadership.acquire();
        co_await leadership.hold();
    }

    // Of runs that are only looked at nobody is kept, and nobody waits for Redis.
    asio::awaitable<void> run_view() {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(await_signal());
        roles.push_back(server.run());
        roles.push_back(api.run());
        roles.push_back(loop_probe.run());
        co_await async::run_all(std::move(roles));
    }

    asio::awaitable<void> run() {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(await_signal());
        roles.push_back(lead());
        roles.push_back(client.run());
        roles.push_back(pool_watch.run());
        roles.push_back(registry.run());
        roles.push_back(server.run());
        roles.push_back(api.run());
        roles.push_back(store_watch.run());
        roles.push_back(loop_probe.run());
        if (notices) roles.push_back(notices->run());
        if (traces) roles.push_back(traces->run());
        if (exporter) roles.push_back(exporter->run());
        co_await async::run_all(std::move(roles));
    }

    CoordinatorConfig config;
    async::Clock& clock;
    log::Logger logger;
    runs::Leadership leadership;
    asio::io_context context{1};
    // By how long others can wait for it, so that nothing waits for what takes longer.
    async::BlockingPool durable{{.threads = 3, .max_queued = 4096, .name = "durable"}};
    async::BlockingPool pool{{.threads = 2, .max_queued = 1024, .name = "files"}};
    async::HeavyPool heavy{{.threads = 3, .large_at_once = 2, .name = "heavy"}};
    async::HeavyPool requests{{.threads = 2, .large_at_once = 1, .name = "requests"}};
    metrics::Registry metrics{"evalfleet-coordinator"};
    runs::RunsMetrics runs_metrics{metrics};
    telemetry::QueueCalls queue_calls{metrics, kQueueFunctions};
    telemetry::HttpFigures http_figures{metrics};
    telemetry::LoopProbe loop_probe{clock, metrics};
    StoreWatch store_watch{config.store, pool, clock, metrics};
    redis::Client client;
    redis::FunctionLibrary functions;
    queue::PoolQueue pool_queue;
    queue::PermitQueue permit_queue{functions, queue::Keys(config.pool), "coordinator"};
    queue::WorkerRoster roster{client, queue::Keys(config.pool)};
    runs::PoolWatch pool_watch;
    runs::RunRegistry registry;
    api::Api api;
    std::optional<webhooks::Webhooks> notices;
    exports::ExportMetrics export_metrics{metrics};
    std::optional<exports::Exporter> exporter;
    traces::TraceMetrics trace_metrics{metrics};
    std::optional<traces::TraceExporter> traces;
    http::Server server;
    async::SignalListener signals;
};

Coordinator::Coordinator(async::Clock& clock, CoordinatorConfig config, log::Logger logger)
    : parts_(std::make_unique<Parts>(clock, std::move(config), std::move(logger))) {
    if (const auto bound = parts_->server.listen(); !bound)
        throw std::runtime_error(bound.error().message);
    const std::uint16_t port = parts_->server.port();
    const std::string host = parts_->config.address()->host;
    parts_->leadership.set_address(host + ":" + std::to_string(port));
    const bool is_view = parts_->config.is_view();
    if (!is_view && !parts_->leadership.blocking_try() && parts_->config.no_standby) {
        throw std::runtime_error(parts_->config.store.string() +
                                 ": another coordinator uses this store");
    }
    if (!parts_->config.port_file.empty()) {
        const auto written =
            files::blocking_write_atomically(parts_->config.port_file, std::to_string(port) + "\n");
        if (!written) throw std::runtime_error(written.error().message);
    }
    parts_->logger.info("coordinator listens",
                        {{"address", parts_->config.listen}, {"port", port}});
    link_ = std::string(parts_->config.tls_cert.empty() ? "http" : "https") + "://" +
            (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
            std::to_string(port) + "/";
}

Coordinator::~Coordinator() = default;

void Coordinator::blocking_run() {
    std::exception_ptr failure;
    asio::co_spawn(parts_->context, parts_->config.is_view() ? parts_->run_view() : parts_->run(),
                   [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
    parts_->context.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace evalfleet::coordinator
