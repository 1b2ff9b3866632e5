#include "common/async/clock.hpp"
#include "common/async/signals.hpp"
#include "common/config/command_line.hpp"
#include "coordinator/config.hpp"
#include "coordinator/coordinator.hpp"
#include "coordinator/view_store.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace evalfleet;

constexpr int kWrongInput = 2;
constexpr int kUnfinished = 3;

using Secrets = std::vector<std::string>;

int coordinate(coordinator::CoordinatorConfig config) {
    const auto redis = config.redis();
    const log::Logger logger(
        "coordinator",
        {.level = config.log.level,
         .format = config.log.format,
         .redactor = redaction::Redactor(redis ? redis::secrets_of(*redis) : Secrets())});
    async::SystemClock clock;
    coordinator::Coordinator coordinator(clock, std::move(config), logger);
    coordinator.blocking_run();
    return 0;
}

// Nothing is logged unless it goes wrong: somebody sits in front of it.
int view(coordinator::CoordinatorConfig config) {
    const auto store = coordinator::ViewStore::blocking_make(config.views);
    if (!store) {
        std::fprintf(stderr, "evalfleet-coordinator: %s\n", store.error().message.c_str());
        return store.error().kind == ErrorKind::invalid ? kWrongInput : kUnfinished;
    }
    config.settle_for_view(store->path());
    const log::Logger logger("coordinator",
                             {.level = log::Level::error, .format = config.log.format});
    async::SystemClock clock;
    coordinator::Coordinator coordinator(clock, std::move(config), logger);
    std::printf("%zu %s at %s (Ctrl-C ends it)\n", store->runs(),
                store->runs() == 1 ? "run" : "runs", coordinator.link().c_str());
    std::fflush(stdout);
    coordinator.blocking_run();
    return 0;
}

int run(int argc, const char* const* argv) {
    config::CommandLine program(
        "evalfleet-coordinator",
        "Splits runs into jobs on Redis, collects the results, reduces them "
        "to verdicts.");
    coordinator::CoordinatorConfig config;
    config.add_to(program);
    program.example("evalfleet-coordinator --redis redis://localhost --store /var/lib/evalfleet");
    program.validate([&config] { return config.validate(); });
    program.example("evalfleet-coordinator --view results");
    program.action([&config] { return config.is_view() ? view(config) : coordinate(config); });
    return program.main(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        async::ignore_broken_pipes();
        // A limit on file sizes is met like a full disk: the write fails, and is tried again.
        std::signal(SIGXFSZ, SIG_IGN);
        return run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "evalfleet-coordinator: %s\n", failure.what());
        return kUnfinished;
    }
}
