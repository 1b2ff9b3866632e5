#include "common/redaction/decoding.hpp"

#include <gtest/gtest.h>

namespace evalfleet::redaction {
namespace {

std::string decoded(std::string_view text) {
    Decoding decoding;
    return decoding.decode(text) ? decoding.text() : std::string(text);
}

TEST(Decoding, ResolvesTheEscapesOfLogs) {
    EXPECT_EQ(decoded(R"(a\u0040b\/c\"d\ne\x41)"), "a@b/c\"d\neA");
    EXPECT_EQ(decoded("a%40b%2fc%zz%"), "a@b/c%zz%");
    EXPECT_EQ(decoded("a&#64;b&#x2F;c&amp;d&unknown;&"), "a@b/c&d&unknown;&");
    EXPECT_EQ(decoded("+44\xC2\xA0"
                      "20\xE2\x80\x91"
                      "7\xE2\x80\x8B"
                      "9"),
              "+44 20-79");
    EXPECT_EQ(decoded("\xEF\xBC\xA1\xEF\xBD\x81\xEF\xBC\x90"), "Aa0");
}

TEST(Decoding, ResolvesWhatOtherProgramsWrite) {
    EXPECT_EQ(decoded(R"(a\U00000040b\u{40}c\100d%u0040)"), "a@b@c@d@");
    EXPECT_EQ(decoded("a=40b=3Dc=\nd x=41 y=7"), "a@b=cd x=41 y=7");
    EXPECT_EQ(decoded("&#0000064;&equals;"), "@=");
    EXPECT_EQ(decoded("call+%2B44+20 1+1"), "call +44 20 1+1");
    EXPECT_EQ(decoded("/call+me+on+020+7946?"), "/call me on 020 7946?");
    EXPECT_EQ(decoded("\x1B[1;31mred\x1B[0m"), "red");
}

TEST(Decoding, ResolvesCharactersThatLookLikeOthers) {
    EXPECT_EQ(decoded("1\xC2\xAD"
                      "2\xD9\xA3\xDB\xB4\xE0\xA5\xAB\xF0\x9D\x9F\x94"),
              "123456");
    Decoding inner;
    ASSERT_TRUE(inner.decode(R"(\u2011 %E2%80%91)"));
    EXPECT_EQ(decoded(inner.text()), "- -");
}

TEST(Decoding, LeavesWhatItDoesNotKnow) {
    Decoding decoding;
    for (const std::string_view text : {"plain", "50% of", R"(\d+ \q)", "a & b", "x=41", "1+1", "é",
                                        "a+b+c", "12+345+6789", "total+1+2"})
        EXPECT_FALSE(decoding.decode(text)) << text;
}

TEST(Decoding, KnowsWhereEachByteComesFrom) {
    Decoding decoding;
    ASSERT_TRUE(decoding.decode("ab%40c&amp;d"));
    ASSERT_EQ(decoding.text(), "ab@c&d");
    const std::size_t origins[] = {0, 1, 2, 5, 6, 11, 12};
    for (std::size_t i = 0; i < std::size(origins); ++i)
        EXPECT_EQ(decoding.origin(i), origins[i]) << i;
}

TEST(Decoding, ReadsBase64AndHexOnlyIfTheyHoldText) {
    EXPECT_EQ(decode_run("aGVsbG8gd29ybGQ"), "hello world");
    EXPECT_EQ(decode_run("68656c6c6f20776f726c64"), "hello world");
    EXPECT_EQ(decode_run("0x68656c6c6f20776f726c64"), "hello world");
    EXPECT_EQ(decode_run("aABlAGwAbABvACAAdwBvAHIAbABkAA"), "hello world") << "UTF-16";
    EXPECT_EQ(decode_run("internationalization"), "");
    EXPECT_EQ(decode_run("d41d8cd98f00b204e9800998ecf8427e"), "");
}

}  // namespace
}  // namespace evalfleet::redaction
