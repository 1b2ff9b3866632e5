#include "cli/simulator/completion.hpp"

#include "cli/simulator/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CutIntoPieces, CutsBeforeWords) {
    EXPECT_THAT(cut_into_pieces("It is  6 m."), ElementsAre("It", " is", " ", " 6", " m."));
    EXPECT_THAT(cut_into_pieces("one"), ElementsAre("one"));
    EXPECT_THAT(cut_into_pieces(""), IsEmpty());
}

TEST(CutIntoPieces, KeepsToItsNumberAndToWholeCharacters) {
    std::string text;
    for (int i = 0; i < 500; ++i)
        text += i % 7 == 0 ? "wort " : "äöü€";
    const auto pieces = cut_into_pieces(text, 10);
    EXPECT_LE(pieces.size(), 10U);
    std::string joined;
    for (const std::string_view piece : pieces) {
        EXPECT_NE(static_cast<unsigned char>(piece[0]) & 0xC0, 0x80);
        joined += piece;
    }
    EXPECT_EQ(joined, text);
}

TEST(Gzip, WritesStoredBlocksWithChecksumAndSize) {
    const std::string packed = gzip("123456789");
    EXPECT_EQ(packed.substr(0, 3), "\x1f\x8b\x08");
    EXPECT_EQ(packed.substr(10, 5), std::string("\x01\x09\x00\xf6\xff", 5));
    EXPECT_EQ(packed.substr(15, 9), "123456789");
    // The checksum that every description of CRC-32 gives for these nine digits.
    EXPECT_EQ(packed.substr(24), std::string("\x26\x39\xf4\xcb\x09\x00\x00\x00", 8));
    EXPECT_EQ(gzip(std::string(70'000, 'x')).size(), 10 + 2 * 5 + 70'000 + 8U);
    EXPECT_EQ(gzip("").size(), 10 + 5 + 8U);
}

}  // namespace
}  // namespace evalfleet::simulator
