#include "common/async/signals.hpp"
#include "common/config/command_line.hpp"
#include "common/log/logger.hpp"
#include "common/providers/provider_config.hpp"
#include "common/providers/proxy_environment.hpp"
#include "worker/config.hpp"
#include "worker/worker.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <utility>

namespace {

using namespace evalfleet;

enum class ExitCode { wrong_input = 2, unfinished = 3 };

/// Each call holds a connection: a soft limit of 1024 files would be the limit of calls.
void raise_file_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

Result<worker::ProviderSet> blocking_load_providers(const worker::WorkerConfig& config) {
    const auto configs = providers::blocking_read_providers_file(config.providers);
    if (!configs) return configs.error();
    auto providers = worker::ProviderSet::blocking_create(*configs, config::process_environment());
    if (!providers || config.keep_originals.empty()) return providers;
    auto key = sealing::SealingKey::blocking_read(config.keep_originals);
    if (!key) return key.error().within("--keep-originals");
    providers->keep_originals(std::make_shared<const sealing::SealingKey>(*std::move(key)));
    return providers;
}

int work(worker::WorkerConfig config) {
    auto providers = blocking_load_providers(config);
    if (!providers) {
        std::fprintf(stderr, "evalfleet-worker: %s\n", providers.error().message.c_str());
        return static_cast<int>(ExitCode::wrong_input);
    }
    const log::Logger logger("worker",
                             {.level = config.log.level,
                              .format = config.log.format,
                              .redactor = redaction::Redactor::sharing(providers->secrets())});
    raise_file_limit();
    async::SystemClock clock;
    worker::Worker worker(clock, std::move(config), *std::move(providers),
                          providers::read_proxy(config::process_environment()), logger);
    return static_cast<int>(worker.blocking_run());
}

int run(int argc, const char* const* argv) {
    config::CommandLine program("evalfleet-worker",
                                "Takes jobs from Redis, makes timed model and judge calls, and "
                                "pushes scored records.");
    worker::WorkerConfig config;
    config.add_to(program);
    program.example("evalfleet-worker --redis redis://localhost --providers providers.yaml");
    program.action([&config] { return work(config); });
    return program.main(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        async::ignore_broken_pipes();
        return run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "evalfleet-worker: %s\n", failure.what());
        return static_cast<int>(ExitCode::unfinished);
    }
}
