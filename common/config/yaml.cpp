#include "common/config/yaml.hpp"

#include "common/config/units.hpp"
#include "common/config/yaml_data.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::config {
namespace {

constexpr std::size_t kMaxShown = 60;

bool is_json_number(std::string_view text) {
    if (text.empty() || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))) return false;
    return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

void write_plain_scalar(json::Writer& writer, const std::string& text) {
    if (text == "true" || text == "True" || text == "TRUE") {
        writer.value(true);
    } else if (text == "false" || text == "False" || text == "FALSE") {
        writer.value(false);
    } else if (!is_json_number(text)) {
        writer.value(text);
    } else if (const auto integer = parse_int64(text)) {
        writer.value(*integer);
    } else if (const auto natural = parse_uint64(text)) {
        writer.value(*natural);
    } else if (const auto real = parse_double(text)) {
        writer.value(*real);
    } else {
        writer.value(text);
    }
}

// Recursion is bounded by the depth limit of reading.
void write_json(json::Writer& writer, const YamlNode::Data& node) {
    switch (node.kind) {
        case YamlKind::null:
            writer.null();
            return;
        case YamlKind::scalar:
            if (node.quoted) {
                writer.value(node.text);
            } else {
                write_plain_scalar(writer, node.text);
            }
            return;
        case YamlKind::sequence:
            writer.begin_array();
            for (const auto& child : node.children)
                write_json(writer, *child);
            writer.end_array();
            return;
        case YamlKind::map:
            writer.begin_object();
            for (std::size_t i = 0; i < node.children.size(); ++i) {
                writer.key(node.keys[i]);
                write_json(writer, *node.children[i]);
            }
            writer.end_object();
            return;
    }
}

}  // namespace

YamlKind YamlNode::kind() const noexcept {
    return data_->kind;
}
const std::string& YamlNode::text() const noexcept {
    return data_->text;
}
bool YamlNode::is_quoted() const noexcept {
    return data_->quoted;
}
int YamlNode::line() const noexcept {
    return data_->line;
}
int YamlNode::column() const noexcept {
    return data_->column;
}

std::vector<YamlNode> YamlNode::items() const {
    std::vector<YamlNode> items;
    if (!is_sequence()) return items;
    for (std::size_t i = 0; i < data_->children.size(); ++i) {
        items.emplace_back(data_->children[i], file_, fmt::format("{}[{}]", path_, i));
    }
    return items;
}

std::vector<YamlMember> YamlNode::members() const {
    std::vector<YamlMember> members;
    if (!is_map()) return members;
    for (std::size_t i = 0; i < data_->children.size(); ++i) {
        const std::string& key = data_->keys[i];
        std::string path = path_.empty() ? key : path_ + "." + key;
        members.push_back(
            {key, data_->key_lines[i], YamlNode(data_->children[i], file_, std::move(path))});
    }
    return members;
}

std::optional<YamlNode> YamlNode::find(std::string_view key) const {
    const auto found = std::find(data_->keys.begin(), data_->keys.end(), key);
    if (found == data_->keys.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(found - data_->keys.begin());
    std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
    return YamlNode(data_->children[index], file_, std::move(path));
}

Error YamlNode::error(std::string_view message) const {
    const std::string where = path_.empty() ? "" : path_ + ": ";
    return {ErrorKind::invalid, fmt::format("{}:{}: {}{}", *file_, line(), where, message)};
}

std::string YamlNode::describe() const {
    switch (kind()) {
        case YamlKind::null:
            return "nothing";
        case YamlKind::scalar:
            if (text().size() > kMaxShown)
                return fmt::format("'{}...'", text().substr(0, kMaxShown));
            return fmt::format("'{}'", text());
        case YamlKind::sequence:
            return fmt::format("a list of {}", data_->children.size());
        case YamlKind::map:
            return "a map";
    }
    return "nothing";
}

std::string YamlNode::to_json() const {
    std::string out;
    json::Writer writer(out);
    write_json(writer, *data_);
    return out;
}

}  // namespace evalfleet::config
