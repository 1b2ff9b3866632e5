#pragma once

#include "common/result/result.hpp"
#include "common/scoring/json_tree.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// The part of JSON Schema (draft 2020-12) that datasets may ask answers to follow. A keyword that
/// is not checked would make every answer look right, so a schema that uses one is refused when it
/// is compiled, not when it is applied.
///
/// Checked: type, enum, const, required, properties, additionalProperties, items, minimum, maximum,
/// exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems, minProperties,
/// maxProperties, pattern, anyOf, allOf, oneOf, not, $ref within the schema, and true/false.
/// Ignored: $schema, $id, $comment, $defs (as a place for $ref), title, description, default,
/// examples, deprecated, readOnly, writeOnly.
/// `pattern` is an RE2 expression, searched for anywhere in the string, in linear time.
///
/// Immutable and safe to use from several threads; copies share the compiled schema.
class JsonSchema {
  public:
    struct Compiled;

    /// Errors name the place: `$.properties.age.minimum: expected a number`.
    [[nodiscard]] static Result<JsonSchema> compile(std::string_view schema);

    /// The first thing that is wrong with a value and where, or nothing if it follows the schema.
    /// The work is bounded: a value that takes more than kMaxSteps plus a few steps for each of its
    /// parts is reported as too complex.
    [[nodiscard]] std::optional<std::string> violation(const JsonNode& value) const;

    static constexpr std::size_t kMaxSteps = 1'000'000;

  private:
    explicit JsonSchema(std::shared_ptr<const Compiled> compiled)
        : compiled_(std::move(compiled)) {}

    std::shared_ptr<const Compiled> compiled_;
};

}  // namespace evalfleet::scoring
