#include "cli/run_place.hpp"

#include <filesystem>
#include <system_error>

namespace evalfleet::cli {

bool means_folder(const std::string& argument) {
    std::error_code ignored;
    const bool cannot_be_id =
        argument.empty() || argument.front() == '.' || argument.find('/') != std::string::npos;
    return cannot_be_id || std::filesystem::is_directory(argument, ignored);
}

}  // namespace evalfleet::cli
