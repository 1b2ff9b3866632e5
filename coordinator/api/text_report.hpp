#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::api {

/// The report of a run's folder for a terminal, made from its records. Blocks, for about a second
/// for a million records.
[[nodiscard]] Result<std::string> blocking_text_report(const std::filesystem::path& folder);

}  // namespace evalfleet::api
