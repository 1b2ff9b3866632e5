#include "common/runfile/yaml_place.hpp"

#include "common/http/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

/// Without a tree: "prompts[1].template: found ..."
void take_path(Fault& fault) {
    const auto end = fault.message.find(": found ");
    if (end == std::string::npos || fault.message.find(' ') < end) return;
    fault.field = fault.message.substr(0, end);
    fault.message.erase(0, end + 2);
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

std::optional<int> line_of_path(const YamlNode& map, std::string_view path) {
    std::optional<int> line;
    std::optional<YamlNode> at = map;
    while (at && !path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(name.size() + 1, path.size()));
        if (const auto found = line_of_key(*at, name)) line = found;
        at = at->find(name);
    }
    return line;
}

Fault fault_at(const std::string& file, const config::YamlNode& node, std::string message) {
    return {file, static_cast<std::size_t>(std::max(node.line(), 1)),
            static_cast<std::size_t>(std::max(node.column(), 1)), node.path(), std::move(message)};
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::size_t take_number(std::string_view& text) {
    std::size_t number = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        number = number * 10 + static_cast<std::size_t>(text[0] - '0');
        text.remove_prefix(1);
    }
    return number;
}

Fault read_fault(const std::string& file, std::string_view error, const config::YamlNode* root) {
    Fault fault{file, 0, 0, "", std::string(error)};
    if (!error.starts_with(file + ":")) return fault;
    error.remove_prefix(file.size() + 1);
    fault.line = take_number(error);
    if (error.starts_with(':')) error.remove_prefix(1);
    fault.message = http::trim(error);
    if (root == nullptr) {
        take_path(fault);
        return fault;
    }
    PlacedMessage placed = place_message(*root, fault.message);
    fault.field = placed.node.path();
    fault.message = std::move(placed.message);
    return fault;
}

}  // namespace evalfleet::runfile
