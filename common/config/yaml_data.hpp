#pragma once

#include "common/config/yaml.hpp"

namespace evalfleet::config {

/// The tree behind YamlNode. Aliases share the node they name.
struct YamlNode::Data {
    YamlKind kind = YamlKind::null;
    bool quoted = false;
    int line = 0;
    int column = 0;
    std::string text;
    std::vector<std::shared_ptr<const Data>> children;
    std::vector<std::string> keys;  ///< of a map, beside children
    std::vector<int> key_lines;
    std::size_t nodes = 1;    ///< of the whole subtree, shared ones counted each time
    std::size_t depth = 1;    ///< of the whole subtree
    std::uint64_t bytes = 0;  ///< of keys and values in the whole subtree, likewise
};

}  // namespace evalfleet::config
