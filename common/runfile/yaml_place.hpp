#pragma once

#include "common/config/yaml.hpp"
#include "common/runfile/fault.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The fault that a reader's error tells of: one that begins with the name of the file, or with
/// that and a line, loses them, and so does its path. `root`: null if the file could not be read.
[[nodiscard]] Fault read_fault(const std::string& file, std::string_view error,
                               const config::YamlNode* root);

[[nodiscard]] Fault fault_at(const std::string& file, const config::YamlNode& node,
                             std::string message);

/// Errors of a reader that gathers them stand in one text, a line each. The text must outlive them.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// The number that a text begins with, which is taken off; 0 if there is none.
[[nodiscard]] std::size_t take_number(std::string_view& text);

/// The line of the key `name` of a map, if it has it.
[[nodiscard]] std::optional<int> line_of_key(const config::YamlNode& map, std::string_view name);

/// The line of the key at the end of a path of keys (`options.seed`), as far as it leads.
[[nodiscard]] std::optional<int> line_of_path(const config::YamlNode& map, std::string_view path);

}  // namespace evalfleet::runfile
