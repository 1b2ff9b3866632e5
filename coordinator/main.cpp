#include "common/async/clock.hpp"
#include "common/async/signals.hpp"
#include "common/config/command_line.hpp"
#include "coordinator/config.hpp"
#include "coordinator/coordinator.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace evalfleet;

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

int run(int argc, const char* const* argv) {
    config::CommandLine program(
        "evalfleet-coordinator",
        "Splits runs into jobs on Redis, collects the results, reduces them "
        "to verdicts.");
    coordinator::CoordinatorConfig config;
    config.add_to(program);
    program.example("evalfleet-coordinator --redis redis://localhost --store /var/lib/evalfleet");
    program.validate([&config] { return config.validate(); });
    program.action([&config] { return coordinate(config); });
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
