#include "common/scoring/words.hpp"

#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

TEST(CountWords, CountsRunsBetweenWhiteSpace) {
    EXPECT_EQ(count_words(""), 0U);
    EXPECT_EQ(count_words(" \t\n\r\v\f "), 0U);
    EXPECT_EQ(count_words("one"), 1U);
    EXPECT_EQ(count_words("  one \n two\t"), 2U);
}

TEST(CountWords, KnowsEveryUnicodeWhiteSpace) {
    for (const char* const space :
         {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x83", "\xE2\x80\x8A",
          "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
        EXPECT_EQ(count_words(space), 0U);
        EXPECT_EQ(count_words(std::string("a") + space + "b"), 2U);
    }
}

TEST(CountWords, TakesLookAlikesAsText) {
    // Zero-width space, word joiner, byte order mark, Mongolian vowel separator, U+001F, NUL.
    for (const std::string_view text :
         {std::string_view("\xE2\x80\x8B"), std::string_view("\xE2\x81\xA0"),
          std::string_view("\xEF\xBB\xBF"), std::string_view("\xE1\xA0\x8E"),
          std::string_view("\x1F"), std::string_view("\0", 1)}) {
        EXPECT_EQ(count_words(text), 1U);
    }
}

TEST(CountWords, TakesACutCharacterAsText) {
    EXPECT_EQ(count_words("\xE2\x80"), 1U);
    EXPECT_EQ(count_words("\xC2"), 1U);
}

}  // namespace
}  // namespace evalfleet::scoring
