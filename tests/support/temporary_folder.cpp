#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace evalfleet::testing {

TemporaryFolder::TemporaryFolder() {
    // Short, since the path of a unix socket in it may have 107 characters at most.
    std::string name = (std::filesystem::temp_directory_path() / "ef-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace evalfleet::testing
