#pragma once

#include <string>

namespace evalfleet::cli {

/// Whether the argument of a command that takes a run's folder or its id is meant as a folder: it
/// is one, or it cannot be an id.
[[nodiscard]] bool means_folder(const std::string& argument);

}  // namespace evalfleet::cli
