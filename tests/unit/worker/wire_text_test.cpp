#include "worker/providers/wire_text.hpp"

#include "common/json/escape.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

TEST(WireText, ReadsMillisecondsOnlyIfTheyMakeSense) {
    EXPECT_EQ(find_milliseconds({{"t", " 12.5 "}}, "T"), 12.5);
    for (const char* text : {"", "None", "-1", "nan", "inf", "1e99", "12ms"})
        EXPECT_EQ(find_milliseconds({{"t", text}}, "t"), std::nullopt) << text;
}

TEST(WireText, TakesTheLongestServerTiming) {
    EXPECT_EQ(find_server_timing({{"Server-Timing", "a;dur=3,b;dur=9;desc=x, c"}}), 9);
    EXPECT_EQ(find_server_timing({{"Server-Timing", "cache;desc=hit"}}), std::nullopt);
    EXPECT_EQ(find_server_timing({}), std::nullopt);
    EXPECT_EQ(find_server_timing({{"Server-Timing", ",,;;,dur=;dur"}}), std::nullopt);
}

TEST(WireText, CutsLongHeaders) {
    EXPECT_EQ(short_header({{"id", std::string(5000, 'x')}}, "id")->size(), 200U);
    EXPECT_EQ(short_header({{"id", ""}}, "id"), std::nullopt);
}

TEST(WireText, ShortensBetweenCharacters) {
    std::string text;
    for (int i = 0; i < 2000; ++i)
        text += "\u20ac";
    const std::string cut = shorten(text);
    EXPECT_LE(cut.size(), 2048U);
    EXPECT_GE(cut.size(), 2045U);
    EXPECT_TRUE(json::is_utf8(cut));
}

TEST(WireText, ReplacesWhatIsNoUtf8) {
    EXPECT_EQ(shorten("a\xff\xc3.b"), "a??.b");
}

}  // namespace
}  // namespace evalfleet::worker
