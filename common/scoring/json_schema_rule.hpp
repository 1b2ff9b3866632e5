#pragma once

#include "common/scoring/json_schema.hpp"
#include "common/scoring/json_tree.hpp"

#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::scoring {

/// The position of a rule in its compiled schema.
using RuleIndex = std::size_t;

/// The bits of `Rule::types`; `integer` is a number without a fractional part.
enum TypeBit : std::uint8_t {
    kNullType = 1,
    kBooleanType = 2,
    kNumberType = 4,
    kStringType = 8,
    kArrayType = 16,
    kObjectType = 32,
    kIntegerType = 64,
};

/// A name in `type` and its bit.
struct TypeName {
    std::string_view name;
    TypeBit bit;
};
inline constexpr std::array kTypeNames{
    TypeName{"null", kNullType},      TypeName{"boolean", kBooleanType},
    TypeName{"number", kNumberType},  TypeName{"string", kStringType},
    TypeName{"array", kArrayType},    TypeName{"object", kObjectType},
    TypeName{"integer", kIntegerType}};

/// One schema object. What is empty is not asked for.
struct Rule {
    std::optional<bool> always;  ///< the schemas `true` and `false`
    std::uint8_t types = 0;
    std::optional<std::vector<JsonNode>> allowed;  ///< enum and const

    std::optional<double> minimum;
    std::optional<double> maximum;
    std::optional<double> exclusive_minimum;
    std::optional<double> exclusive_maximum;

    std::optional<std::size_t> min_length;
    std::optional<std::size_t> max_length;
    std::shared_ptr<const re2::RE2> pattern;

    std::optional<std::size_t> min_items;
    std::optional<std::size_t> max_items;
    std::optional<RuleIndex> items;

    std::optional<std::size_t> min_properties;
    std::optional<std::size_t> max_properties;
    std::vector<std::string> required;
    std::map<std::string, RuleIndex, std::less<>> properties;
    std::optional<RuleIndex> additional_properties;

    std::vector<RuleIndex> all_of;
    std::vector<RuleIndex> any_of;
    std::vector<RuleIndex> one_of;
    std::optional<RuleIndex> none_of;
    std::optional<RuleIndex> ref;
};

/// True if a rule leads back to itself without going deeper into the value: applying it would never
/// end.
[[nodiscard]] bool has_endless_reference(const std::vector<Rule>& rules);

struct JsonSchema::Compiled {
    std::vector<Rule> rules;  ///< the first one is the schema itself
};

}  // namespace evalfleet::scoring
