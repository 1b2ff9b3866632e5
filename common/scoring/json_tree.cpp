#include "common/scoring/json_tree.hpp"

#include "common/scoring/json_scanner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace evalfleet::scoring {

namespace {

using Kind = JsonNode::Kind;
using Token = JsonScanner::Token;

bool failed(Token token) {
    return token == Token::malformed || token == Token::too_deep;
}

bool written_as_integer(std::string_view number) {
    return number.find_first_of(".eE") == std::string_view::npos;
}

/// Builds the tree below a token that has just been scanned. Recursive: the scanner bounds the
/// depth.
class TreeBuilder {
  public:
    explicit TreeBuilder(std::string_view text) : scanner_(text) {}

    std::optional<JsonNode> build() {
        JsonNode root;
        if (!fill(root, scanner_.next()) || scanner_.next() != Token::end) return std::nullopt;
        return root;
    }

  private:
    bool fill(JsonNode& node, Token token) {
        switch (token) {
            case Token::begin_object:
                node.kind = Kind::object;
                return fill_members(node);
            case Token::begin_array:
                node.kind = Kind::array;
                return fill_items(node);
            case Token::string:
                node.kind = Kind::string;
                node.text = scanner_.unescaped();
                return true;
            case Token::number:
                node.kind = Kind::number;
                node.text = scanner_.raw();
                node.number = std::strtod(node.text.c_str(), nullptr);
                return true;
            case Token::boolean:
                node.kind = Kind::boolean;
                node.flag = scanner_.raw() == "true";
                return true;
            case Token::null:
                return true;
            default:
                return false;
        }
    }

    bool fill_items(JsonNode& node) {
        for (Token token = scanner_.next(); token != Token::end_array; token = scanner_.next()) {
            if (failed(token) || !fill(node.items.emplace_back(), token)) return false;
        }
        return true;
    }

    bool fill_members(JsonNode& node) {
        for (Token token = scanner_.next(); token != Token::end_object; token = scanner_.next()) {
            if (token != Token::key) return false;
            node.keys.push_back(scanner_.unescaped());
            if (!fill(node.items.emplace_back(), scanner_.next())) return false;
        }
        return true;
    }

    JsonScanner scanner_;
};

bool equal_numbers(const JsonNode& a, const JsonNode& b) {
    // Integers that no double can hold still differ by their digits.
    if (written_as_integer(a.text) && written_as_integer(b.text)) {
        return a.text == b.text || (a.number == 0 && b.number == 0);
    }
    return a.number == b.number;
}

bool equal_members(const JsonNode& a, const JsonNode& b) {
    if (a.keys.size() != b.keys.size()) return false;
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
        const JsonNode* const other = b.find(a.keys[i]);
        if (other == nullptr || !equal(a.items[i], *other)) return false;
    }
    return true;
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const noexcept {
    const auto found = std::find(keys.rbegin(), keys.rend(), key);
    if (found == keys.rend()) return nullptr;
    return &items[static_cast<std::size_t>(std::distance(found, keys.rend())) - 1];
}

bool JsonNode::is_integer() const noexcept {
    if (kind != Kind::number) return false;
    // Beyond the range of a double every number that is written with an exponent is whole.
    return written_as_integer(text) || std::isinf(number) || std::trunc(number) == number;
}

std::string_view to_string(Kind kind) noexcept {
    constexpr std::array<std::string_view, 6> kNames{"null",   "boolean", "number",
                                                     "string", "array",   "object"};
    return kNames[static_cast<std::size_t>(kind)];
}

bool equal(const JsonNode& a, const JsonNode& b) noexcept {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Kind::null:
            return true;
        case Kind::boolean:
            return a.flag == b.flag;
        case Kind::number:
            return equal_numbers(a, b);
        case Kind::string:
            return a.text == b.text;
        case Kind::array:
            return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                              equal);
        case Kind::object:
            return equal_members(a, b);
    }
    return false;
}

std::optional<JsonNode> parse_json_tree(std::string_view text) {
    return TreeBuilder(text).build();
}

}  // namespace evalfleet::scoring
