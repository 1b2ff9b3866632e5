#include "common/scoring/json_scanner.hpp"

#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using Token = JsonScanner::Token;

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonScanner, GivesTheTokensOfAValueInOrder) {
    JsonScanner scanner(R"( {"a\u0062": [1, "x\n", true, null], "c": {}} )");
    EXPECT_EQ(scanner.next(), Token::begin_object);
    EXPECT_EQ(scanner.next(), Token::key);
    EXPECT_EQ(scanner.unescaped(), "ab");
    EXPECT_EQ(scanner.raw(), R"(a\u0062)");
    EXPECT_EQ(scanner.next(), Token::begin_array);
    EXPECT_EQ(scanner.depth(), 2U);
    EXPECT_EQ(scanner.next(), Token::number);
    EXPECT_EQ(scanner.raw(), "1");
    EXPECT_EQ(scanner.next(), Token::string);
    EXPECT_EQ(scanner.unescaped(), "x\n");
    EXPECT_EQ(scanner.next(), Token::boolean);
    EXPECT_EQ(scanner.next(), Token::null);
    EXPECT_EQ(scanner.next(), Token::end_array);
    EXPECT_EQ(scanner.next(), Token::key);
    EXPECT_EQ(scanner.next(), Token::begin_object);
    EXPECT_EQ(scanner.next(), Token::end_object);
    EXPECT_EQ(scanner.next(), Token::end_object);
    EXPECT_EQ(scanner.next(), Token::end);
    EXPECT_EQ(scanner.next(), Token::end);
}

TEST(JsonScanner, AcceptsEveryFormOfTheGrammar) {
    for (const char* const text :
         {"0", "-0", "1e999", "-1.50E+07", "123456789012345678901234567890", "\"\"", "[]", "{}",
          " [ ] ", "[1,2]", "{\"\":0}", R"("\"\\\/\b\f\n\r\t\u0000\ud83d\ude00")", "\t\r\n null \n",
          "\"\x7F\"", "\"\xF4\x8F\xBF\xBF\"", "{\"a\":1,\"a\":2}"}) {
        EXPECT_TRUE(is_json(text)) << text;
    }
}

TEST(JsonScanner, RejectsEverythingElse) {
    for (const char* const text : {"",
                                   " ",
                                   "01",
                                   "+1",
                                   ".5",
                                   "1.",
                                   "1e",
                                   "1e+",
                                   "-",
                                   "--1",
                                   "0x1",
                                   "NaN",
                                   "Infinity",
                                   "tru",
                                   "truefalse",
                                   "nul",
                                   "[1,]",
                                   "[,1]",
                                   "[1 2]",
                                   "[1",
                                   "]",
                                   "{\"a\"}",
                                   "{\"a\":}",
                                   "{\"a\":1,}",
                                   "{a:1}",
                                   "{1:2}",
                                   "{\"a\":1 \"b\":2}",
                                   "{\"a\",1}",
                                   "[1}",
                                   "{]",
                                   "1 2",
                                   "null,",
                                   "'a'",
                                   "\"",
                                   "\"a",
                                   R"("\x")",
                                   R"("\u12")",
                                   R"("\u12g4")",
                                   R"("\ud800")",
                                   R"("\ud800x")",
                                   R"("\ud800\n")",
                                   R"("\ud800\u0041")",
                                   R"("\udc00")",
                                   R"("\ud800\ud800")",
                                   "\"\n\"",
                                   "\"\x1F\"",
                                   "\xEF\xBB\xBF{}",
                                   "\xC2\xA0{}",
                                   "{}\f",
                                   "/**/{}",
                                   "\"\xFF\"",
                                   "\"\xC0\x80\"",
                                   "\"\xED\xA0\x80\"",
                                   "\"\xF4\x90\x80\x80\"",
                                   "\"\xE2\x80\"",
                                   "\"\x80\""}) {
        EXPECT_FALSE(is_json(text)) << text;
    }
}

TEST(JsonScanner, RejectsNulBytes) {
    EXPECT_FALSE(is_json(std::string_view("\0", 1)));
    EXPECT_FALSE(is_json(std::string_view("{}\0", 3)));
    EXPECT_FALSE(is_json(std::string_view("\"\0\"", 3)));
    EXPECT_FALSE(is_json(std::string_view("\"\\\0\"", 4)));
}

TEST(JsonScanner, StopsAt256Levels) {
    EXPECT_TRUE(is_json(nested(256)));
    JsonScanner scanner(std::string_view(""));
    const std::string text = nested(257);
    scanner = JsonScanner(text);
    for (int i = 0; i < 256; ++i)
        EXPECT_EQ(scanner.next(), Token::begin_array);
    EXPECT_EQ(scanner.next(), Token::too_deep);
    EXPECT_EQ(scanner.next(), Token::too_deep);
}

TEST(JsonScanner, CountsSiblingsOnce) {
    EXPECT_TRUE(is_json("[" + nested(255) + "," + nested(255) + "]"));
}

TEST(JsonScanner, ResolvesSurrogatePairs) {
    JsonScanner scanner(R"("\ud83d\ude00\u00e9\u20ac\uFFFF")");
    EXPECT_EQ(scanner.next(), Token::string);
    EXPECT_EQ(scanner.unescaped(), "\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF");
}

}  // namespace
}  // namespace evalfleet::scoring
