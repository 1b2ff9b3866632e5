#pragma once

#include "common/config/yaml_fault.hpp"

#include <optional>
#include <string_view>

namespace evalfleet::config {

/// A YAML reader complains where the text stops making sense, which is below the quote or bracket
/// that somebody forgot to close. Finds that one, looking at the lines up to `line`: a bracket that
/// is open there, or a quote that is, or was closed only by the next quote in that line. nullopt if
/// all are closed. For messages only: it knows no block scalars. Pure.
[[nodiscard]] std::optional<YamlFault> find_unclosed(std::string_view text, int line);

}  // namespace evalfleet::config
