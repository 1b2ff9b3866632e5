#include "coordinator/datasets/dataset_root.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

namespace evalfleet::datasets {

namespace fs = std::filesystem;

namespace {

bool is_within(const fs::path& root, const fs::path& path) {
    const auto [at, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    return at == root.end() && rest != path.end();
}

std::optional<fs::path> blocking_find(const fs::path& root, const fs::path& path) {
    std::error_code code;
    const fs::path real_root = fs::canonical(root, code);
    if (code) return std::nullopt;
    const fs::path real = fs::canonical(path.is_absolute() ? path : real_root / path, code);
    if (code || !is_within(real_root, real)) return std::nullopt;
    if (!fs::is_regular_file(real, code)) return std::nullopt;
    return real;
}

}  // namespace

Result<fs::path> blocking_find_under(const std::vector<fs::path>& roots, const std::string& path) {
    if (roots.empty()) {
        return Error{ErrorKind::invalid,
                     "this coordinator takes no paths; upload the data set and name it by its id"};
    }
    const bool is_sane = !path.empty() && path.find('\0') == std::string::npos;
    for (const fs::path& root : roots) {
        if (!is_sane) break;
        if (auto found = blocking_find(root, path)) return *found;
    }
    return Error{ErrorKind::invalid, "there is no such file under the coordinator's data set root"};
}

}  // namespace evalfleet::datasets
