#include "cli/programs_folder.hpp"

#include <system_error>

namespace evalfleet::cli {

namespace fs = std::filesystem;

fs::path programs_folder() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    return code ? fs::path("/usr/bin") : self.parent_path();
}

}  // namespace evalfleet::cli
