#include "cli/commands/local.hpp"
#include "cli/simulator/simulator.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <vector>

namespace evalfleet::cli {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> await_signal(async::SignalListener& signals) {
    co_await signals.next();
}

asio::awaitable<void> serve(simulator::Simulator& simulator, async::SignalListener& signals) {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(simulator.run());
    roles.push_back(await_signal(signals));
    co_await async::run_all(std::move(roles));
}

}  // namespace

Result<ExitCode> run_simulate(const SimulateOptions& options) {
    async::ignore_broken_pipes();
    asio::io_context context(1);
    async::SystemClock clock;
    simulator::SimulatorConfig config = options.simulator;
    config.latency_median = std::chrono::round<std::chrono::microseconds>(
        std::chrono::duration<double, std::milli>(options.latency_ms));
    simulator::Simulator simulator(context.get_executor(), clock, config, options.service);
    async::SignalListener signals(context.get_executor(), {SIGINT, SIGTERM});
    if (Status started = simulator.blocking_start(); !started) return started.error();
    std::fprintf(stderr, "simulated provider at http://%s:%u/v1\n", options.service.host.c_str(),
                 static_cast<unsigned>(simulator.port()));

    std::exception_ptr failure;
    asio::co_spawn(context, serve(simulator, signals),
                   [&](std::exception_ptr thrown) { failure = std::move(thrown); });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return ExitCode::done;
}

}  // namespace evalfleet::cli
