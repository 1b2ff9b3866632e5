#include "common/config/fields.hpp"

#include "common/text/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evalfleet::config {

Fields::Fields(YamlNode node, Validator& validator) : validator_(&validator) {
    if (node.is_map()) {
        node_ = std::move(node);
    } else if (!node.is_null()) {
        validator.add(node.error(fmt::format("found {}, allowed: a map", node.describe())).message);
    }
}

std::optional<YamlNode> Fields::take(std::string_view key) {
    known_.emplace(key);
    return node_ ? node_->find(key) : std::nullopt;
}

std::optional<YamlNode> Fields::take_required(std::string_view key) {
    auto node = take(key);
    if (node && !node->is_null()) return node;
    fail(key, "is required");
    return std::nullopt;
}

bool Fields::has(std::string_view key) {
    return take(key).has_value();
}

Fields Fields::map(std::string_view key) {
    auto node = take(key);
    return node ? Fields(*std::move(node), *validator_) : Fields(*validator_);
}

std::vector<YamlNode> Fields::list(std::string_view key) {
    const auto node = take(key);
    if (!node || node->is_null()) return {};
    if (!node->is_sequence()) {
        fail(key, fmt::format("found {}, allowed: a list", node->describe()));
    }
    return node->items();
}

void Fields::fail(std::string_view key, std::string_view message) {
    if (!node_) {
        validator_->add(fmt::format("{}: {}", key, message));
    } else if (const auto node = node_->find(key)) {
        validator_->add(node->error(message).message);
    } else {
        const std::string prefix = node_->path().empty() ? "" : node_->path() + ".";
        validator_->add(
            fmt::format("{}:{}: {}{}: {}", node_->file(), node_->line(), prefix, key, message));
    }
}

void Fields::finish() {
    if (!node_) return;
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const YamlMember& member : node_->members()) {
        if (known_.contains(member.key)) continue;
        validator_->add(fmt::format("{}:{}: {}: unknown key; {}allowed: {}", node_->file(),
                                    member.line, member.value.path(),
                                    text::did_you_mean(member.key, known), fmt::join(known, ", ")));
    }
}

std::optional<std::vector<std::string>> Fields::texts_of(const YamlNode& node, bool list,
                                                         bool numeric) {
    std::vector<std::string> texts;
    const std::vector<YamlNode> items =
        list && node.is_sequence() ? node.items() : std::vector<YamlNode>{node};
    for (const YamlNode& item : items) {
        if (!item.is_scalar() || (numeric && item.is_quoted())) {
            const std::string_view wanted =
                numeric ? "a number or true/false without quotes" : "text";
            validator_->add(
                item.error(fmt::format("found {}, allowed: {}", item.describe(), wanted)).message);
            return std::nullopt;
        }
        texts.push_back(item.text());
    }
    return texts;
}

void Fields::refuse_word(const YamlNode& node, const std::vector<std::string>& words) {
    const std::string hint = node.is_scalar() ? text::did_you_mean(node.text(), words) : "";
    validator_->add(node.error(fmt::format("found {}; {}allowed: {}", node.describe(), hint,
                                           fmt::join(words, ", ")))
                        .message);
}

}  // namespace evalfleet::config
