#include "cli/terminal/text.hpp"

#include <gtest/gtest.h>

namespace evalfleet::terminal {
namespace {

TEST(Printable, TakesAwayWhatCouldSteerATerminal) {
    EXPECT_EQ(printable("plain"), "plain");
    EXPECT_EQ(printable("a\033[2Jb\r\n\tc\x7F"), "a?[2Jb???c?");
    EXPECT_EQ(printable("x\xC2\x9By"), "x?y") << "a control character beyond ASCII";
    EXPECT_EQ(printable("Grüße"), "Grüße");
}

TEST(Shorten, CutsBetweenCodePoints) {
    EXPECT_EQ(shorten("Grüße", 5), "Grüße");
    EXPECT_EQ(shorten("Grüße", 4), "Grü…");
    EXPECT_EQ(shorten("Grüße", 1), "…");
    EXPECT_EQ(shorten("Grüße", 0), "");
    EXPECT_EQ(count_columns("Grüße"), 5U);
}

TEST(WidthOf, IsUnknownWithoutATerminal) {
    EXPECT_EQ(width_of(-1), std::nullopt);
}

}  // namespace
}  // namespace evalfleet::terminal
