#include "worker/worker.hpp"

#include "common/async/blocking_pool.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"
#include "common/files/atomic_file.hpp"
#include "common/job/environment.hpp"
#include "common/queue/functions_text.hpp"
#include "common/telemetry/http_figures.hpp"
#include "common/telemetry/loop_probe.hpp"
#include "common/telemetry/redis_figures.hpp"
#include "common/version/version.hpp"
#include "worker/executor/executor.hpp"
#include "worker/heartbeat/heartbeater.hpp"
#include "worker/redis_watcher.hpp"
#include "worker/status/status_server.hpp"
#include "worker/worker_name.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace asio = boost::asio;
using std::chrono::seconds;

namespace {

redis::Config for_blocking_commands(redis::Config config, std::chrono::milliseconds idle_wait) {
    config.longest_block = idle_wait * 2;
    return config;
}

http::ClientConfig http_config(const WorkerConfig& config, const http::ProxyConfig& proxy) {
    http::ClientConfig http;
    // A job makes one call at a time; those that waited between attempts come on top.
    http.max_connections_per_host = 2 * config.concurrency;
    http.max_idle_per_host = config.concurrency;
    http.idle_timeout = seconds(4);  // model servers close idle connections after 5
    http.proxy = proxy;
    http.ca_file = config.ca_file;
    return http;
}

/// Short, since every record has it: the commit by its first digits.
std::string describe_environment(const WorkerConfig& config) {
    constexpr std::size_t kShortSha = 12;
    const BuildInfo build = build_info();
    std::string runtime = "evalfleet-worker " + std::string(build.version) + " git " +
                          std::string(build.git_sha.substr(0, kShortSha));
    if (build.git_sha.ends_with("-dirty")) runtime += "-dirty";
    auto environment = job::parse_environment(config.environment).value();
    environment.emplace("runtime", std::move(runtime));
    return job::to_text(environment);
}

asio::awaitable<void> await_signal(async::SignalListener& signals, log::Logger logger) {
    const int number = co_await signals.next();
    logger.info("signal received", {{"signal", number == SIGTERM ? "SIGTERM" : "SIGINT"}});
}

}  // namespace

/// All objects of a worker, each made once, in the order of their dependencies.
struct Worker::Parts {
    Parts(async::Clock& clock_in, WorkerConfig config_in, ProviderSet providers_in,
          const http::ProxyConfig& proxy, const log::Logger& logger_in);

    void collect();
    [[nodiscard]] std::optional<std::string> blocked_reason() const;
    void open_status_server();

    [[nodiscard]] asio::awaitable<void> run();
    [[nodiscard]] asio::awaitable<void> live();
    [[nodiscard]] asio::awaitable<void> work_until_signal();
    [[nodiscard]] asio::awaitable<void> drain();
    [[nodiscard]] asio::awaitable<void> drain_until_signal();

    async::Clock& clock;
    WorkerConfig config;
    ProviderSet providers;
    log::Logger logger;
    std::string name = make_worker_name(config.name);
    queue::Keys keys{config.pool};
    JobTaker::Config taking{.lease = config.lease};

    asio::io_context context{static_cast<int>(config.threads)};
    asio::any_io_executor strand = asio::make_strand(context);
    async::SignalListener signals{strand, {SIGTERM, SIGINT}};
    metrics::Registry registry{"evalfleet-worker"};
    WorkerMetrics metrics{registry, providers.list()};
    telemetry::HttpFigures http_figures{registry};
    telemetry::LoopProbe loop_probe{clock, registry};
    async::BlockingPool pool{{.threads = config.compute_threads,
                              .max_queued = std::max<std::size_t>(config.concurrency, 1024),
                              .name = "compute"}};

    redis::Client redis{context.get_executor(), clock, config.redis().value()};
    redis::Client blocking_redis{context.get_executor(), clock,
                                 for_blocking_commands(config.redis().value(), taking.idle_wait)};
    redis::FunctionLibrary functions{
        redis, redis::parse_library(std::string(queue::functions_text())).value()};
    RedisWatcher redis_watcher{redis, functions, clock, redis::to_string(config.redis().value()),
                               logger.with("redis")};
    queue::WorkerQueue queue{functions, keys, name};

    queue::PermitQueue permit_queue{functions, keys, name};
    PermitKeeper permits{clock,
                         permit_queue,
                         providers.limits(),
                         providers.list(),
                         {config.rate_window, config.rate_margin, config.lease},
                         registry,
                         random_fraction,
                         logger.with("permits")};

    http::Client http;
    LagMeter lag{clock};
    ProviderHealth health{providers.list()};
    ModelCaller caller{http,   permits, clock,          pool, lag.estimator(),
                       health, metrics, random_fraction};
    Judge judge{caller, clock, pool, metrics};
    TrialRunner trials{caller, judge, clock, pool, metrics, describe_environment(config)};
    HeldJobs held;
    RunContexts contexts{redis, keys, providers, pool};
    JobTaker taker{clock,  queue,  redis,   blocking_redis,
                   health, taking, metrics, logger.with("taker")};
    BegunTeller begun{clock, queue, logger.with("begun")};
    ResultSender results{clock, queue};
    Settler settler{clock,   queue,
                    results, redaction::Redactor::sharing(providers.secrets()),
                    metrics, logger.with("settler")};
    Executor executor{
        context.get_executor(),
        config.threads,
        config.concurrency,
        {clock, taker, settler, begun, contexts, trials, held, metrics, logger.with("executor")}};
    std::unique_ptr<Heartbeater> heartbeater;
    std::unique_ptr<StatusServer> status;
    std::atomic<bool> draining = false;
    Exit exit = Exit::drained;
};

Worker::Parts::Parts(async::Clock& clock_in, WorkerConfig config_in, ProviderSet providers_in,
                     const http::ProxyConfig& proxy, const log::Logger& logger_in)
    : clock(clock_in),
      config(std::move(config_in)),
      providers(std::move(providers_in)),
      logger(logger_in),
      http(context.get_executor(), clock, http_config(config, proxy)) {
    metrics.slots.set(static_cast<double>(config.concurrency));
    registry.on_collect([this] { collect(); });
    metrics.queue_calls.watch(functions);
    telemetry::publish(registry, redis, "main");
    telemetry::publish(registry, blocking_redis, "blocking");
    if (config.metrics_port) open_status_server();
}

void Worker::Parts::open_status_server() {
    status =
        std::make_unique<StatusServer>(strand, clock, config.metrics_host, *config.metrics_port,
                                       registry, http_figures, [this] { return blocked_reason(); });
    Status done = status->listen();
    if (done && !config.port_file.empty()) {
        done = files::blocking_write_atomically(config.port_file,
                                                std::to_string(status->port()) + "\n");
    }
    if (!done) throw std::runtime_error(done.error().message);
}

/// Brings up to date what is counted elsewhere.
void Worker::Parts::collect() {
    const std::chrono::duration<double> age = clock.now() - taker.last_answer();
    metrics.idle_connections.set(static_cast<double>(http.count_idle_connections()));
    metrics.jobs_held.set(static_cast<double>(held.size()));
    permits.collect();
    metrics.last_take_age.set(age.count());
}

std::optional<std::string> Worker::Parts::blocked_reason() const {
    if (draining) return "draining";
    if (redis.state().phase == redis::ConnectionState::Phase::ready) return std::nullopt;
    return "not connected to Redis";
}

asio::awaitable<void> Worker::Parts::run() {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(redis.run());
    roles.push_back(blocking_redis.run());
    roles.push_back(redis_watcher.run());
    roles.push_back(permits.run());
    roles.push_back(begun.run());
    roles.push_back(results.run());
    roles.push_back(http.run());
    roles.push_back(lag.run());
    if (status) roles.push_back(status->run());
    roles.push_back(loop_probe.run());
    roles.push_back(live());
    co_await async::run_all(std::move(roles));
}

asio::awaitable<void> Worker::Parts::live() {
    logger.info(
        "worker started",
        {{"worker", name}, {"concurrency", config.concurrency}, {"providers", providers.names()}});
    heartbeater = std::make_unique<Heartbeater>(
        clock,
        HeartbeaterConfig{.redis = config.redis().value(),
                          .keys = keys,
                          .worker = name,
                          .lease = config.lease,
                          .concurrency = config.concurrency,
                          .providers = providers.list(),
                          .loop_lag_ms = [this] { return loop_probe.recent_lag_ms(); }},
        held, health, metrics, logger.with("heartbeat"));
    std::exception_ptr bug;
    try {
        co_await work_until_signal();
        draining = true;
        co_await drain_until_signal();
    } catch (...) {
        bug = std::current_exception();
    }
    if (bug || exit == Exit::interrupted) co_await executor.abandon();
    if (bug) std::rethrow_exception(bug);
    // First, or its next beat would take the good-bye back.
    heartbeater.reset();
    const bool connected = redis.state().phase == redis::ConnectionState::Phase::ready;
    if (exit == Exit::drained && connected) {
        co_await permits.close(clock.now() + seconds(2));
        // Unheard, it is forgotten a minute later all the same.
        static_cast<void>(co_await queue.leave(clock.now() + seconds(2)));
    }
    logger.info("worker ends");
}

asio::awaitable<void> Worker::Parts::work_until_signal() {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(executor.take_jobs());
    roles.push_back(await_signal(signals, logger));
    co_await async::run_all(std::move(roles));
}

asio::awaitable<void> Worker::Parts::drain_until_signal() {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(drain());
    roles.push_back(await_signal(signals, logger));
    if (co_await async::run_all(std::move(roles)) != 0) exit = Exit::interrupted;
}

asio::awaitable<void> Worker::Parts::drain() {
    logger.info("draining", {{"jobs", held.size()}});
    const std::size_t unfinished = co_await executor.drain(clock.now() + config.drain_timeout);
    if (unfinished > 0) logger.warn("handed jobs back", {{"jobs", unfinished}});
}

Worker::Worker(async::Clock& clock, WorkerConfig config, ProviderSet providers,
               const http::ProxyConfig& proxy, log::Logger logger)
    : parts_(
          std::make_unique<Parts>(clock, std::move(config), std::move(providers), proxy, logger)) {}

Worker::~Worker() = default;

Worker::Exit Worker::blocking_run() {
    std::exception_ptr bug;
    asio::co_spawn(parts_->strand, parts_->run(),
                   asio::bind_executor(parts_->strand, [&bug](const std::exception_ptr& failure) {
                       bug = failure;
                   }));
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < parts_->config.threads; ++i)
        threads.emplace_back([this] { parts_->context.run(); });
    parts_->context.run();
    for (std::thread& thread : threads)
        thread.join();
    if (bug) std::rethrow_exception(bug);
    return parts_->exit;
}

}  // namespace evalfleet::worker
