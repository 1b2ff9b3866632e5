#include "cli/commands/local.hpp"
#include "cli/fleet/child_environment.hpp"
#include "cli/programs_folder.hpp"

#include <unistd.h>

#include <string>
#include <vector>

namespace evalfleet::cli {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Result<ExitCode> run_view(const ViewOptions& options) {
    const auto program = programs_folder() / "evalfleet-coordinator";
    std::vector<std::string> arguments{program.string(), "--listen",
                                       "127.0.0.1:" + std::to_string(options.port)};
    for (const auto& folder : options.folders) {
        arguments.emplace_back("--view");
        arguments.push_back(folder.string());
    }
    // It does all there is to do: it takes our place, and gets the signals of the terminal.
    auto environment =
        fleet::child_environment(fleet::Inherit::plain, fleet::own_environment(), {});
    const auto argv = pointers_to(arguments);
    const auto variables = pointers_to(environment);
    ::execve(program.c_str(), argv.data(), variables.data());
    return Error{ErrorKind::not_found, program.string() + ": cannot be started"};
}

}  // namespace evalfleet::cli
