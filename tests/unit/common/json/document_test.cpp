#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace evalfleet::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Document parsed(std::string_view text) {
    auto document = Document::parse(text);
    if (!document) throw std::runtime_error(document.error().message);
    return *std::move(document);
}

std::string parse_error(std::string_view text, Limits limits = {}) {
    const auto document = Document::parse(text, limits);
    return document ? "parsed" : document.error().message;
}

TEST(JsonDocument, KeepsSixtyFourBitIntegersExactly) {
    const Document document =
        parsed(R"({"max": 18446744073709551615, "min": -9223372036854775808})");
    EXPECT_EQ(*document.root().get<std::uint64_t>("max"), 18446744073709551615U);
    EXPECT_EQ(*document.root().get<std::int64_t>("min"), std::numeric_limits<std::int64_t>::min());
}

TEST(JsonDocument, ErrorsNameThePathAndWhatWasFound) {
    const Document document =
        parsed(R"({"gates": {"a": 1, "min_pass_rate": "0.8"}, "l": [1, {"x y": true}]})");
    const Value gates = *document.root().required("gates");
    EXPECT_EQ(gates.get<double>("min_pass_rate").error().message,
              "gates.min_pass_rate: expected a number, found string \"0.8\"");
    EXPECT_EQ(gates.get<double>("absent").error().message, "gates.absent: is required but missing");
    const Value list = *document.root().required("l");
    const Value second = *++list.as_array()->begin();
    EXPECT_EQ(second.get<std::string>("x y").error().message,
              "l[1][\"x y\"]: expected a string, found true");
    EXPECT_EQ(document.root().as_array().error().message, "expected an array, found object of 2");
}

TEST(JsonDocument, ReadsTypedMembers) {
    const Document document =
        parsed(R"({"s": "x", "b": true, "n": null, "list": [1, 2, 3], "d": 2, "whole": 3.0})");
    const Value root = document.root();
    EXPECT_EQ(*root.get<std::string>("s"), "x");
    EXPECT_TRUE(*root.get<bool>("b"));
    EXPECT_EQ(*root.optional<int>("n"), std::nullopt);
    EXPECT_EQ(*root.optional<int>("absent"), std::nullopt);
    EXPECT_EQ(*root.get<std::optional<int>>("n"), std::nullopt);
    EXPECT_THAT(*root.get<std::vector<int>>("list"), ElementsAre(1, 2, 3));
    EXPECT_EQ(*root.get<double>("d"), 2.0);
    EXPECT_EQ(*root.get<int>("whole"), 3);
    EXPECT_EQ(*root.get_or<int>("absent", 9), 9);
}

TEST(JsonDocument, ChecksTheRangeOfIntegers) {
    const Document document = parsed(R"({"a": 300, "b": -1, "c": 18446744073709551615, "d": 1.5})");
    const Value root = document.root();
    EXPECT_EQ(root.get<std::uint8_t>("a").error().message,
              "a: expected an integer from 0 to 255, found 300");
    EXPECT_EQ(root.get<std::uint64_t>("b").error().message,
              "b: expected an integer of at least 0, found -1");
    EXPECT_THAT(root.get<std::int64_t>("c").error().message,
                HasSubstr("found 18446744073709551615"));
    EXPECT_EQ(root.get<int>("d").error().message, "d: expected an integer, found 1.5");
}

TEST(JsonDocument, IteratesInTheOrderOfTheText) {
    const Document document = parsed(R"({"z": 1, "a": {"n": [1, 2]}, "m": 3})");
    std::vector<std::string> keys;
    for (const auto [key, value] : *document.root().as_object())
        keys.emplace_back(key);
    EXPECT_THAT(keys, ElementsAre("z", "a", "m"));
    EXPECT_EQ(document.root().as_object()->size(), 3U);
    EXPECT_TRUE(parsed("[]").root().as_array()->empty());
}

TEST(JsonDocument, SaysWhereAndWhyATextIsMalformed) {
    EXPECT_EQ(parse_error(""), "line 1, column 1: expected a value, found the end of the text");
    EXPECT_EQ(parse_error("{\"a\": 1,\n \"b\" = 2}"),
              "line 2, column 6: expected ':' behind a key, found '='");
    EXPECT_EQ(parse_error("[1, 2"),
              "line 1, column 6: expected ',' or ']', found the end of the text");
    EXPECT_EQ(parse_error("[1,]"), "line 1, column 4: expected a value, found ']'");
    EXPECT_EQ(parse_error("{\"a\":1,}"),
              "line 1, column 8: expected a key in double quotes, found '}'");
    EXPECT_EQ(parse_error("[01]"), "line 1, column 3: a number with a leading zero");
    EXPECT_EQ(parse_error("[NaN]"), "line 1, column 2: expected a value, found 'N'");
    EXPECT_EQ(parse_error("[1e999]"), "line 1, column 2: a number beyond the range of a double");
    EXPECT_EQ(parse_error("[99999999999999999999]"), "line 1, column 2: an integer beyond 64 bits");
    EXPECT_EQ(parse_error("\"a\nb\""), "line 1, column 3: control character 0x0a in a string");
    EXPECT_EQ(parse_error("\"abc"), "line 1, column 1: a string that never ends");
    EXPECT_EQ(parse_error("\"\xff\""), "line 1, column 2: invalid UTF-8 in a string");
    EXPECT_EQ(parse_error("\"\\x\""), "line 1, column 2: an unknown escape sequence");
    EXPECT_EQ(parse_error("\"\\ud800\""), "line 1, column 2: half a surrogate pair");
    EXPECT_EQ(parse_error("1 2"), "line 1, column 3: expected the end of the text, found '2'");
    EXPECT_EQ(parse_error("[tru]"), "line 1, column 2: expected true");
}

TEST(JsonDocument, FindsATwinAmongAnyNumberOfKeysHoweverTheyAreChosen) {
    // The second kind differs only in the middle.
    const auto key = [](std::size_t i, bool is_alike) {
        const std::string digits = std::to_string(10'000 + i);
        return is_alike ? "the-same-" + digits + "-the-same" : digits;
    };
    for (const std::size_t count : {2U, 15U, 16U, 17U, 127U, 128U, 129U, 1000U}) {
        for (const bool is_alike : {false, true}) {
            std::string text = "{";
            for (std::size_t i = 0; i < count; ++i)
                text += "\"" + key(i, is_alike) + "\":0,";
            const std::string twin = key(count - 1, is_alike);
            EXPECT_EQ(parse_error(text + "\"" + twin + "\":1}"),
                      "the key \"" + twin + "\" stands twice");
            EXPECT_EQ(parse_error(text + "\"another\":1}"), "parsed");
        }
    }
}

TEST(JsonDocument, RejectsDuplicateKeysUnlessToldOtherwise) {
    EXPECT_EQ(parse_error(R"({"a": [{"k": 1, "k": 2}]})"), "a[0]: the key \"k\" stands twice");
    EXPECT_EQ(parse_error(R"({"k": 1, "\u006b": 2})"), "the key \"k\" stands twice");
    std::string many = "{";
    for (int i = 0; i < 100; ++i)
        many += "\"k" + std::to_string(i) + "\":0,";
    EXPECT_EQ(parse_error(many + "\"k7\":1}"), "the key \"k7\" stands twice");
    EXPECT_EQ(parse_error(many + "\"x\":1}"), "parsed");
    Limits lax;
    lax.reject_duplicate_keys = false;
    EXPECT_EQ(parse_error(R"({"k": 1, "k": 2})", lax), "parsed");
}

TEST(JsonDocument, BoundsDepthAndSize) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_EQ(parse_error(nested(256)), "parsed");
    EXPECT_EQ(Document::parse(nested(257)).error().kind, ErrorKind::too_large);
    EXPECT_EQ(Document::parse(std::string(1000000, '[')).error().kind, ErrorKind::too_large);
    Limits small;
    small.max_bytes = 4;
    EXPECT_EQ(Document::parse("[1,2]", small).error().message, "JSON of 5 bytes, allowed are 4");
    EXPECT_EQ(parse_error("[12]", small), "parsed");
}

TEST(JsonDocument, CutsLongStringsInMessagesAtACharacter) {
    std::string text = "\"";
    for (int i = 0; i < 100; ++i)
        text += "é";
    const std::string message = parsed(text + '"').root().as_bool().error().message;
    EXPECT_THAT(message, HasSubstr("é...\""));
    EXPECT_LT(message.size(), 150U);
}

TEST(JsonParser, ReusesItsMemoryForTheNextText) {
    Parser parser;
    EXPECT_EQ(parser.parse("[1]")->as_array()->size(), 1U);
    EXPECT_FALSE(parser.parse("[1"));
    EXPECT_EQ(*parser.parse(R"({"a": "b"})")->get<std::string>("a"), "b");
}

TEST(JsonParser, NeverCrashesOnRandomTextAndAlwaysExplainsARefusal) {
    constexpr std::string_view kPieces[] = {"{",    "}", "[",  "]",    ":",     ",", "\"",
                                            "\\",   "a", "1",  "-",    ".",     "e", "true",
                                            "null", " ", "\n", "\xff", "\\u12", "é"};
    std::mt19937_64 random(3);
    Parser parser;
    for (int i = 0; i < 50000; ++i) {
        std::string text;
        for (std::size_t n = random() % 12; n > 0; --n)
            text += kPieces[random() % std::size(kPieces)];
        const auto root = parser.parse(text);
        if (!root) {
            ASSERT_THAT(root.error().message,
                        ::testing::AnyOf(HasSubstr("line "), HasSubstr("twice")))
                << text;
        }
    }
}

}  // namespace
}  // namespace evalfleet::json
