#pragma once

#include <string>
#include <string_view>

namespace evalfleet {

/// What was built: shown by `--version`, stored in every run's metadata.
struct BuildInfo {
    std::string_view version;     ///< of the product, for example "0.1.0"
    std::string_view git_sha;     ///< all 40 digits, "-dirty" behind if the tree had changes
    std::string_view build_type;  ///< release, debug, debug+address-sanitizer, ...
};

[[nodiscard]] BuildInfo build_info() noexcept;

/// The line that `<program> --version` prints.
[[nodiscard]] std::string version_line(std::string_view program);

}  // namespace evalfleet
