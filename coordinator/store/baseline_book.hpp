#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace evalfleet::store {

/// Which run each baseline names: `<store>/baselines.json`.
using Baselines = std::map<std::string, std::string, std::less<>>;

/// Empty if there is no such file. Blocks.
[[nodiscard]] Result<Baselines> blocking_read_baselines(const std::filesystem::path& store);
[[nodiscard]] Status blocking_write_baselines(const std::filesystem::path& store,
                                              const Baselines& baselines);

/// 1 to 64 letters, digits, dots, dashes and underscores, not beginning with a dot.
[[nodiscard]] bool is_baseline_name(std::string_view name) noexcept;

}  // namespace evalfleet::store
