#include "cli/commands/local.hpp"
#include "cli/simulator/lanes.hpp"
#include "cli/simulator/simulator.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"
#include "common/files/atomic_file.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> await_signal(async::SignalListener& signals) {
    co_await signals.next();
}

/// Serves on this thread, and writes the log, until a signal comes.
asio::awaitable<void> serve(simulator::Simulator& simulator, simulator::RequestLog* log,
                            async::Clock& clock, async::BlockingPool& pool,
                            async::SignalListener& signals) {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(simulator.run());
    roles.push_back(await_signal(signals));
    if (log != nullptr) roles.push_back(log->run(clock, pool));
    co_await async::run_all(std::move(roles));
}

Status announce(const simulator::ServiceConfig& service, std::uint16_t port) {
    std::fprintf(stderr, "simulated provider at http://%s:%u/v1\n", service.host.c_str(),
                 static_cast<unsigned>(port));
    if (!service.port_file) return {};
    return files::blocking_write_atomically(*service.port_file, std::to_string(port) + "\n");
}

simulator::SimulatorConfig to_config(const SimulateOptions& options) {
    simulator::SimulatorConfig config = options.simulator;
    config.latency_median = std::chrono::round<std::chrono::microseconds>(
        std::chrono::duration<double, std::milli>(options.latency_ms));
    return config;
}

}  // namespace

Result<ExitCode> run_simulate(const SimulateOptions& options) {
    async::ignore_broken_pipes();
    // Outlives whatever is still under way in the context.
    const auto stage = simulator::Stage::blocking_open(to_config(options), options.service);
    if (!stage) return stage.error();
    asio::io_context context(1);
    async::SystemClock clock;
    async::BlockingPool pool({.threads = 1, .name = "request-log"});
    async::SignalListener signals(context.get_executor(), {SIGINT, SIGTERM});
    simulator::ServiceConfig service = options.service;
    simulator::Simulator simulator(context.get_executor(), clock, **stage);
    const bool share_port = service.threads > 1;
    if (Status listening = simulator.listen(service, share_port); !listening) {
        return listening.error();
    }
    service.port = simulator.port();
    simulator::Lanes lanes(clock, **stage);
    if (Status started = lanes.start(service, service.threads - 1); !started) {
        return started.error();
    }
    if (Status told = announce(service, service.port); !told) return told.error();

    std::exception_ptr failure;
    asio::co_spawn(context, serve(simulator, (*stage)->log(), clock, pool, signals),
                   [&](std::exception_ptr thrown) { failure = std::move(thrown); });
    context.run();
    lanes.blocking_stop();
    if (failure) std::rethrow_exception(failure);
    return ExitCode::done;
}

}  // namespace evalfleet::cli
