#include "common/scoring/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using testing::HasSubstr;

bool follows(std::string_view schema, std::string_view value) {
    const auto compiled = JsonSchema::compile(schema);
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
    return compiled && !compiled->violation(parse_json_tree(value).value());
}

std::string refusal(std::string_view schema) {
    const auto compiled = JsonSchema::compile(schema);
    return compiled ? "compiled" : compiled.error().message;
}

TEST(JsonSchema, ChecksTypes) {
    EXPECT_TRUE(follows(R"({"type": "integer"})", "3"));
    EXPECT_TRUE(follows(R"({"type": "integer"})", "3.0"));
    EXPECT_TRUE(follows(R"({"type": "integer"})", "123456789012345678901234567890"));
    EXPECT_FALSE(follows(R"({"type": "integer"})", "3.5"));
    EXPECT_TRUE(follows(R"({"type": "number"})", "3"));
    EXPECT_TRUE(follows(R"({"type": ["null", "string"]})", "null"));
    EXPECT_FALSE(follows(R"({"type": ["null", "string"]})", "true"));
    EXPECT_FALSE(follows(R"({"type": "object"})", "[]"));
}

TEST(JsonSchema, ChecksValues) {
    EXPECT_TRUE(
        follows(R"({"enum": ["a", 1, {"x": [1, 2], "y": null}]})", R"({"y":null,"x":[1.0,2]})"));
    EXPECT_FALSE(follows(R"({"enum": ["a", 1]})", "\"b\""));
    EXPECT_TRUE(follows(R"({"const": 0})", "-0"));
    EXPECT_FALSE(follows(R"({"const": 9007199254740993})", "9007199254740992"));
    EXPECT_FALSE(follows(R"({"enum": [1, 2], "const": 3})", "3"));
}

TEST(JsonSchema, ChecksNumbersOnTheirLimits) {
    constexpr const char* kSchema = R"({"minimum": 1, "exclusiveMaximum": 2.5})";
    EXPECT_TRUE(follows(kSchema, "1"));
    EXPECT_FALSE(follows(kSchema, "0.999"));
    EXPECT_FALSE(follows(kSchema, "2.5"));
    EXPECT_FALSE(follows(kSchema, "1e999"));
    EXPECT_TRUE(follows(kSchema, "\"text\""));
    EXPECT_TRUE(follows(R"({"maximum": 2, "exclusiveMinimum": 1})", "2"));
    EXPECT_FALSE(follows(R"({"maximum": 2, "exclusiveMinimum": 1})", "1"));
}

TEST(JsonSchema, CountsCharactersNotBytes) {
    EXPECT_TRUE(follows(R"({"minLength": 2, "maxLength": 2})", "\"\xC3\xA9\xF0\x9F\x98\x80\""));
    EXPECT_FALSE(follows(R"({"maxLength": 1})", "\"ab\""));
}

TEST(JsonSchema, SearchesPatternsAnywhere) {
    EXPECT_TRUE(follows(R"({"pattern": "b+"})", "\"abc\""));
    EXPECT_FALSE(follows(R"({"pattern": "^b+$"})", "\"abc\""));
}

TEST(JsonSchema, ChecksObjects) {
    constexpr const char* kSchema = R"({
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "age": {"minimum": 0}}})";
    EXPECT_TRUE(follows(kSchema, R"({"name": "x", "age": 3})"));
    EXPECT_FALSE(follows(kSchema, R"({"age": 3})"));
    EXPECT_FALSE(follows(kSchema, R"({"name": "x", "more": 1})"));
    EXPECT_FALSE(follows(kSchema, R"({"name": "x", "age": -1})"));
    EXPECT_TRUE(follows(R"({"additionalProperties": {"type": "string"}})", R"({"a": "b"})"));
    EXPECT_FALSE(follows(R"({"minProperties": 2})", R"({"a": "b"})"));
    EXPECT_FALSE(follows(R"({"maxProperties": 0})", R"({"a": "b"})"));
}

TEST(JsonSchema, ChecksArrays) {
    constexpr const char* kSchema =
        R"({"items": {"type": "integer"}, "minItems": 1, "maxItems": 2})";
    EXPECT_TRUE(follows(kSchema, "[1, 2]"));
    EXPECT_FALSE(follows(kSchema, "[]"));
    EXPECT_FALSE(follows(kSchema, "[1, 2, 3]"));
    EXPECT_FALSE(follows(kSchema, "[1, \"2\"]"));
    EXPECT_TRUE(follows(kSchema, "{}"));
}

TEST(JsonSchema, CombinesSchemas) {
    EXPECT_TRUE(follows(R"({"anyOf": [{"type": "null"}, {"minimum": 3}]})", "4"));
    EXPECT_FALSE(follows(R"({"anyOf": [{"type": "null"}, {"minimum": 3}]})", "2"));
    EXPECT_FALSE(follows(R"({"oneOf": [{"minimum": 1}, {"minimum": 3}]})", "4"));
    EXPECT_TRUE(follows(R"({"oneOf": [{"minimum": 1}, {"minimum": 3}]})", "2"));
    EXPECT_FALSE(follows(R"({"allOf": [{"minimum": 1}, {"minimum": 3}]})", "2"));
    EXPECT_FALSE(follows(R"({"not": {"type": "string"}})", "\"x\""));
    EXPECT_TRUE(follows("true", "1"));
    EXPECT_FALSE(follows("false", "1"));
}

TEST(JsonSchema, FollowsReferencesWithinTheSchema) {
    constexpr const char* kTree = R"({
        "$ref": "#/$defs/node",
        "$defs": {"node": {"type": "object", "required": ["children"],
                           "properties": {"children": {"items": {"$ref": "#/$defs/node"}}}}}})";
    EXPECT_TRUE(follows(kTree, R"({"children": [{"children": []}]})"));
    EXPECT_FALSE(follows(kTree, R"({"children": [{"children": [{}]}]})"));
    EXPECT_TRUE(
        follows(R"({"properties": {"a/b~": {"const": 1}, "c": {"$ref": "#/properties/a~1b~0"}}})",
                R"({"c": 1})"));
    EXPECT_FALSE(follows(R"({"items": {"$ref": "#"}, "type": "array"})", "[[], [1]]"));
}

TEST(JsonSchema, NamesThePlaceOfAViolation) {
    const auto schema =
        JsonSchema::compile(R"({"properties": {"a": {"items": {"type": "string"}}}})");
    EXPECT_EQ(schema->violation(parse_json_tree(R"({"a": ["x", 1]})").value()),
              "$.a[1]: is of the wrong type: number");
}

TEST(JsonSchema, RefusesWhatItCannotCheck) {
    EXPECT_THAT(refusal(R"({"properties": {"a": {"format": "email"}}})"),
                HasSubstr("$.properties.a: the keyword \"format\" is not supported"));
    EXPECT_THAT(refusal(R"({"$ref": "https://example.com/s.json"})"),
                HasSubstr("within the schema"));
    EXPECT_THAT(refusal(R"({"$ref": "#/$defs/gone"})"), HasSubstr("nothing is at"));
    EXPECT_THAT(refusal("{\"pattern\": \"(?=x)\"}"), HasSubstr("$.pattern: "));
    EXPECT_THAT(refusal(R"({"minLength": -1})"), HasSubstr("$.minLength: expected an integer"));
    EXPECT_THAT(refusal(R"({"type": "text"})"), HasSubstr("$.type: expected the name of a type"));
    EXPECT_THAT(refusal(R"({"anyOf": []})"), HasSubstr("$.anyOf"));
    EXPECT_THAT(refusal("3"), HasSubstr("expected an object, true or false, found number"));
    EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
}

TEST(JsonSchema, RefusesReferencesThatNeverEnd) {
    EXPECT_THAT(refusal(R"({"$ref": "#"})"), HasSubstr("leads back to itself"));
    EXPECT_THAT(refusal(R"({"allOf": [{"$ref": "#/$defs/a"}],
                            "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}})"),
                HasSubstr("leads back to itself"));
}

TEST(JsonSchema, GivesUpOnASchemaThatMultipliesItsWork) {
    // 2^40 ways to follow, none of which holds.
    std::string schema = R"({"$ref": "#/$defs/d0", "$defs": {)";
    for (int i = 0; i < 40; ++i) {
        const std::string next = "{\"$ref\": \"#/$defs/d" + std::to_string(i + 1) + "\"}";
        schema += "\"d" + std::to_string(i) + "\": {\"anyOf\": [" + next + "," + next + "]},";
    }
    schema += R"("d40": false}})";
    const auto compiled = JsonSchema::compile(schema);
    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled->violation(parse_json_tree("1").value()), "too complex to check");
}

}  // namespace
}  // namespace evalfleet::scoring
