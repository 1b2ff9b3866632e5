#pragma once

#include "cli/doctor/finding.hpp"
#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace evalfleet::doctor {

/// Whether so much room will do for the results of runs. Pure.
[[nodiscard]] Finding check_room(const std::string& folder, std::uint64_t free_bytes,
                                 std::uint64_t total_bytes);

/// Whether so many open files will do for a worker; each call holds one. Pure.
[[nodiscard]] Finding check_open_files(std::uint64_t most);

/// The same of this machine. Block.
[[nodiscard]] Finding blocking_check_room(const std::filesystem::path& folder);
[[nodiscard]] Finding blocking_check_open_files();

/// The other programs beside this one: there, and of the same version. Blocks.
[[nodiscard]] Findings blocking_check_programs(const std::filesystem::path& folder);

/// Whether what the providers' configuration names is there: keys (never shown), and what limits
/// them. Reads key files. Blocks.
[[nodiscard]] Findings blocking_check_providers(const providers::Providers& all,
                                                const config::Environment& environment);

}  // namespace evalfleet::doctor
