#include "cli/commands/catalog.hpp"
#include "cli/commands/doctor.hpp"
#include "cli/commands/functions.hpp"
#include "cli/commands/health.hpp"
#include "cli/commands/init.hpp"
#include "cli/local_commands.hpp"
#include "cli/offline_commands.hpp"
#include "cli/remote_commands.hpp"
#include "common/config/command_line.hpp"
#include "common/config/log_options.hpp"

#include <cstdio>
#include <exception>

namespace {

int run(int argc, const char* const* argv) {
    using namespace evalfleet;
    config::CommandLine program("evalfleet", "Evaluates language models at fleet scale.");
    config::LogOptions log;
    log.add_to(program);
    cli::InitCommand init;
    init.add_to(program);
    cli::LocalCommands local;
    local.add_to(program);
    cli::RemoteCommands remote;
    remote.add_to(program);
    cli::CatalogCommands catalog;
    catalog.add_to(program);
    cli::OfflineCommands offline;
    offline.add_to(program);
    cli::HealthCommand health;
    health.add_to(program);
    cli::DoctorCommand doctor;
    doctor.add_to(program);
    cli::FunctionsCommand functions;
    functions.add_to(program);
    return program.main(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& bug) {
        std::fprintf(stderr, "evalfleet: internal error: %s\n", bug.what());
        return static_cast<int>(evalfleet::cli::ExitCode::unfinished);
    }
}
