#pragma once

#include <filesystem>

namespace evalfleet::cli {

/// Where evalfleet itself is: the other programs are beside it.
[[nodiscard]] std::filesystem::path programs_folder();

}  // namespace evalfleet::cli
