#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::scoring {

/// A JSON value as a tree that keeps numbers as they were written. A model may answer with any
/// valid JSON, numbers beyond 64 bits and repeated keys included, and a format check must not fail
/// for what it cannot hold.
struct JsonNode {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    bool flag = false;              ///< of a boolean
    std::string text;               ///< a string unescaped, a number as written
    double number = 0;              ///< the nearest double; infinite where there is none
    std::vector<JsonNode> items;    ///< elements, or the values of members
    std::vector<std::string> keys;  ///< of an object: keys[i] belongs to items[i]

    /// The last member with this name, or null.
    [[nodiscard]] const JsonNode* find(std::string_view key) const noexcept;

    /// True for a number without a fractional part: 3, 3.0, 3e2.
    [[nodiscard]] bool is_integer() const noexcept;
};

/// "null", "boolean", "number", "string", "array", "object".
[[nodiscard]] std::string_view to_string(JsonNode::Kind kind) noexcept;

/// Equal as JSON Schema has it: numbers by value, members in any order.
[[nodiscard]] bool equal(const JsonNode& a, const JsonNode& b) noexcept;

/// The tree of a text, or nothing if it is not one JSON value, at most 256 levels deep.
[[nodiscard]] std::optional<JsonNode> parse_json_tree(std::string_view text);

}  // namespace evalfleet::scoring
