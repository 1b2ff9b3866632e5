#include "coordinator/coordinator.hpp"

#include "common/async/blocking_pool.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"
#include "common/files/atomic_file.hpp"
#include "common/http/server.hpp"
#include "common/metrics/registry.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/redis/client.hpp"
#include "common/redis/function_library.hpp"
#include "common/telemetry/http_figures.hpp"
#include "common/telemetry/loop_probe.hpp"
#include "common/telemetry/queue_calls.hpp"
#include "common/telemetry/redis_figures.hpp"
#include "coordinator/api/run_routes.hpp"
#include "coordinator/api/status_routes.hpp"
#include "coordinator/metrics/fleet_figures.hpp"
#include "coordinator/metrics/store_watch.hpp"
#include "coordinator/runs/pool_watch.hpp"
#include "coordinator/runs/run_registry.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <array>
#include <csignal>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evalfleet::coordinator {

namespace asio = boost::asio;

namespace {

// Of the queue, as far as a coordinator calls them.
constexpr std::array<std::string_view, 9> kQueueFunctions{
    "own", "enq", "ack", "check", "remove", "mend", "state", "reap", "stats"};

redis::LibraryText queue_functions() {
    auto library = redis::parse_library(std::string(queue::functions_text()));
    if (!library) throw std::logic_error(library.error().message);
    return std::move(*library);
}

redis::Config blocking_config(redis::Config config) {
    config.client_name += "-results";
    config.longest_block = std::chrono::seconds(1);
    return config;
}

// Held for as long as the process lives: one coordinator a store.
files::File lock_store(const std::filesystem::path& store) {
    std::error_code code;
    std::filesystem::create_directories(store, code);
    auto file = files::File::blocking_open(store / "lock", files::File::Mode::read_write);
    if (!file) throw std::runtime_error(file.error().message);
    const auto locked = file->blocking_try_lock();
    if (!locked) throw std::runtime_error(locked.error().message);
    if (!*locked)
        throw std::runtime_error(store.string() + ": another coordinator uses this store");
    return std::move(*file);
}

http::ServerConfig server_config(const CoordinatorConfig& config) {
    const auto address = config.address();
    http::ServerConfig server;
    server.host = address->host;
    server.port = address->port;
    return server;
}

}  // namespace

struct Coordinator::Parts {
    Parts(async::Clock& clock_, CoordinatorConfig config_, log::Logger logger_)
        : config(std::move(config_)),
          clock(clock_),
          logger(std::move(logger_)),
          store_lock(lock_store(config.store)),
          client(context.get_executor(), clock, *config.redis()),
          functions(client, queue_functions()),
          pool_queue(functions, queue::Keys(config.pool)),
          pool_watch(pool_queue, client, runs_metrics, clock, logger.with("pool")),
          registry(context.get_executor(), config.store, surroundings()),
          server(context.get_executor(), clock, server_config(config), router(), &http_figures),
          signals(context.get_executor(), {SIGTERM, SIGINT}) {
        queue_calls.watch(functions);
        telemetry::publish(metrics, client, "main");
        publish_fleet(metrics, registry, pool_watch, {config.pool, config.max_wanted_slots});
    }

    runs::Surroundings surroundings() {
        runs::Surroundings around{client,
                                  functions,
                                  queue::Keys(config.pool),
                                  blocking_config(*config.redis()),
                                  pool_watch,
                                  runs_metrics,
                                  pool,
                                  clock,
                                  logger,
                                  {config.window_jobs, config.window_bytes.bytes},
                                  {},
                                  {}};
        around.audit.interval = config.audit_interval;
        around.audit.enabled = !config.is_switched_off("audit");
        around.collect.drop_repeats = !config.is_switched_off("dedup");
        return around;
    }

    http::Router router() {
        http::Router routes;
        api::add_run_routes(routes, registry);
        api::add_status_routes(routes, metrics, registry, pool_watch);
        return routes;
    }

    asio::awaitable<void> await_signal() {
        const int signal = co_await signals.next();
        logger.info("stopping", {{"signal", signal}});
    }

    asio::awaitable<void> run() {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(await_signal());
        roles.push_back(client.run());
        roles.push_back(pool_watch.run());
        roles.push_back(registry.run());
        roles.push_back(server.run());
        roles.push_back(store_watch.run());
        roles.push_back(loop_probe.run());
        co_await async::run_all(std::move(roles));
    }

    CoordinatorConfig config;
    async::Clock& clock;
    log::Logger logger;
    files::File store_lock;
    asio::io_context context{1};
    async::BlockingPool pool{{.threads = 2, .max_queued = 1024, .name = "files"}};
    metrics::Registry metrics{"evalfleet-coordinator"};
    runs::RunsMetrics runs_metrics{metrics};
    telemetry::QueueCalls queue_calls{metrics, kQueueFunctions};
    telemetry::HttpFigures http_figures{metrics};
    telemetry::LoopProbe loop_probe{clock, metrics};
    StoreWatch store_watch{config.store, pool, clock, metrics};
    redis::Client client;
    redis::FunctionLibrary functions;
    queue::PoolQueue pool_queue;
    runs::PoolWatch pool_watch;
    runs::RunRegistry registry;
    http::Server server;
    async::SignalListener signals;
};

Coordinator::Coordinator(async::Clock& clock, CoordinatorConfig config, log::Logger logger)
    : parts_(std::make_unique<Parts>(clock, std::move(config), std::move(logger))) {
    if (const auto bound = parts_->server.listen(); !bound)
        throw std::runtime_error(bound.error().message);
    const std::uint16_t port = parts_->server.port();
    if (!parts_->config.port_file.empty()) {
        const auto written =
            files::blocking_write_atomically(parts_->config.port_file, std::to_string(port) + "\n");
        if (!written) throw std::runtime_error(written.error().message);
    }
    parts_->logger.info("coordinator listens",
                        {{"address", parts_->config.listen}, {"port", port}});
}

Coordinator::~Coordinator() = default;

void Coordinator::blocking_run() {
    std::exception_ptr failure;
    asio::co_spawn(parts_->context, parts_->run(),
                   [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
    parts_->context.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace evalfleet::coordinator
