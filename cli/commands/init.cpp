#include "cli/commands/init.hpp"

#include "cli/command_action.hpp"
#include "common/files/atomic_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

Status check_is_free(const fs::path& folder, const std::vector<StarterFile>& files) {
    std::error_code code;
    if (fs::exists(folder, code) && !fs::is_directory(folder, code))
        return Error{ErrorKind::invalid, folder.string() + ": is no folder"};
    for (const StarterFile& file : files) {
        if (!fs::exists(folder / file.name, code)) continue;
        return Error{ErrorKind::invalid, fmt::format("{}: is there already; name another folder: "
                                                     "evalfleet init FOLDER",
                                                     (folder / file.name).string())};
    }
    return {};
}

Status blocking_write(const fs::path& folder, const std::vector<StarterFile>& files) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return Error{ErrorKind::invalid, folder.string() + ": " + code.message()};
    for (const StarterFile& file : files) {
        if (Status written = files::blocking_write_atomically(folder / file.name, file.content);
            !written)
            return written;
    }
    return {};
}

}  // namespace

Result<ExitCode> run_init(const InitOptions& options) {
    const auto& services = starter_services();
    const auto service = std::ranges::find(services, options.service, &StarterService::name);
    if (service == services.end())
        return Error{ErrorKind::invalid, "--provider: found \"" + options.service + "\""};
    const fs::path folder = options.folder.value_or("evaluation");
    const std::vector<StarterFile> files = starter_files(*service);
    if (const Status free = check_is_free(folder, files); !free) return free.error();
    if (const Status written = blocking_write(folder, files); !written) return written.error();
    const std::string run_file = (folder / "run.yaml").string();
    std::string said;
    for (const StarterFile& file : files)
        said += "wrote " + (folder / file.name).string() + '\n';
    said += fmt::format(
        "\nTry it without a key: a simulated model answers.\n"
        "  evalfleet run {0} --simulate\n"
        "Then for real:\n",
        run_file);
    if (!service->key_variable.empty())
        said += fmt::format("  export {}=...\n", service->key_variable);
    said += "  evalfleet run " + run_file + '\n';
    std::fputs(said.c_str(), stdout);
    return ExitCode::done;
}

void InitCommand::add_to(config::CommandLine& program) {
    config::Command& command =
        program.subcommand("init", "write a first run file, its dataset and a providers file");
    command.argument("DIR", options_.folder, "where; evaluation if none is given");
    std::vector<std::pair<std::string, std::string>> names;
    for (const StarterService& service : starter_services())
        names.emplace_back(service.name, service.name);
    command.choice<std::string>("provider", options_.service, names, "whose models to begin with");
    command.example("evalfleet init evaluation --provider anthropic");
    command.action(action(run_init, options_));
}

}  // namespace evalfleet::cli
