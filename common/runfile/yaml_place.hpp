#pragma once

#include "common/config/yaml.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::runfile {

/// A message about a value, apart from the path that stands in front of it.
struct PlacedMessage {
    config::YamlNode node;  ///< what it is about; the root if there is no path
    std::string message;
};

/// Finds the node that an error of a JSON reader is about. Readers see the file as JSON, where
/// lines are lost; their errors begin with a path (`models[1].name: ...`), which leads back to the
/// line.
[[nodiscard]] PlacedMessage place_message(const config::YamlNode& root, std::string_view error);

/// The line of the key `name` of a map, if it has it.
[[nodiscard]] std::optional<int> line_of_key(const config::YamlNode& map, std::string_view name);

}  // namespace evalfleet::runfile
