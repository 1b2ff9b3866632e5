#include "common/runfile/yaml_place.hpp"

#include <fmt/format.h>

namespace evalfleet::runfile {

namespace {

using config::YamlNode;

constexpr std::string_view kBehindPath = ": ";

/// What is left of `text` behind `node`'s path, if it begins with that.
std::optional<std::string_view> behind(const YamlNode& node, std::string_view text) {
    if (!text.starts_with(node.path())) return std::nullopt;
    return text.substr(node.path().size());
}

/// The children of a list or map.
std::vector<YamlNode> children(const YamlNode& node) {
    if (node.is_sequence()) return node.items();
    std::vector<YamlNode> all;
    for (const config::YamlMember& member : node.members())
        all.push_back(member.value);
    return all;
}

/// The node whose path, with ": " behind it, `error` begins with. Paths nest as nodes do, so only
/// one way leads down.
std::optional<YamlNode> find_node(const YamlNode& from, std::string_view error) {
    for (const YamlNode& child : children(from)) {
        const auto rest = behind(child, error);
        if (!rest) continue;
        if (rest->starts_with(kBehindPath)) return child;
        if (!rest->starts_with('.') && !rest->starts_with('[')) continue;
        if (auto found = find_node(child, error)) return found;
    }
    return std::nullopt;
}

}  // namespace

PlacedMessage place_message(const YamlNode& root, std::string_view error) {
    const auto node = find_node(root, error);
    if (!node) return {root, std::string(error)};
    return {*node, std::string(error.substr(node->path().size() + kBehindPath.size()))};
}

std::optional<int> line_of_key(const YamlNode& map, std::string_view name) {
    for (const config::YamlMember& member : map.members()) {
        if (member.key == name) return member.line;
    }
    return std::nullopt;
}

}  // namespace evalfleet::runfile
