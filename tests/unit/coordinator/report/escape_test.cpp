#include "coordinator/report/escape.hpp"

#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

TEST(EscapeMarkup, LeavesNothingThatIsMarkupOrForbiddenInXml) {
    EXPECT_EQ(escape_markup("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    EXPECT_EQ(escape_markup("a\tb\nc\rd"), "a\tb\nc&#13;d");
    EXPECT_EQ(escape_markup(std::string_view("a\0\x01\x1b\x7f", 5)),
              "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(escape_markup("\xEF\xBF\xBE\xEF\xBF\xBF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(escape_markup("\xFF\xC3"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(escape_markup("äö😀"), "äö😀");
    EXPECT_EQ(escape_markup("]]>"), "]]&gt;");
}

TEST(EscapeMarkdown, KeepsACellInItsTable) {
    EXPECT_EQ(escape_markdown("a|b\nc"), "a\\|b c");
    EXPECT_EQ(escape_markdown("<b>&amp;"), "&lt;b&gt;&amp;amp;");
    EXPECT_EQ(escape_markdown("[x](javascript:y)"), "\\[x\\]\\(javascript\\:y\\)");
    EXPECT_EQ(escape_markdown("https://a.b"), "https\\://a.b");
}

TEST(EscapeTerminal, LetsNothingMoveTheCursor) {
    EXPECT_EQ(escape_terminal("a\x1b[2Jb\nc"), "a\xEF\xBF\xBD[2Jb c");
    EXPECT_EQ(escape_terminal("\xC2\x9B"), "\xEF\xBF\xBD");
    EXPECT_EQ(escape_terminal("\xE2\x80\xAE"), "\xEF\xBF\xBD");
    EXPECT_EQ(escape_terminal("ü"), "ü");
}

TEST(EscapeCsv, QuotesWhatNeedsIt) {
    EXPECT_EQ(escape_csv("plain"), "plain");
    EXPECT_EQ(escape_csv("a,b"), "\"a,b\"");
    EXPECT_EQ(escape_csv("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(escape_csv("a\nb"), "\"a\nb\"");
    EXPECT_EQ(escape_csv(""), "");
}

TEST(EscapeCsv, DisarmsFormulas) {
    EXPECT_EQ(escape_csv("=1+1"), "'=1+1");
    EXPECT_EQ(escape_csv("+A1"), "'+A1");
    EXPECT_EQ(escape_csv("-1+2"), "'-1+2");
    EXPECT_EQ(escape_csv("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0");
    EXPECT_EQ(escape_csv("- SUM(A1)"), "'- SUM(A1)");
    EXPECT_EQ(escape_csv("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(escape_csv("\n=1"), "\"'\n=1\"");
    EXPECT_EQ(escape_csv("\t=1"), "'\t=1");
    EXPECT_EQ(escape_csv("=a,b"), "\"'=a,b\"");
}

TEST(EscapeCsv, LeavesWhatNoSpreadsheetExecutes) {
    for (const char* text : {"-1", "+1", "-1.5e3", "-", "- an item", "-- two", "+ more", "@",
                             "@ home", "a=1", "1-2", "\tindented"})
        EXPECT_EQ(escape_csv(text), text);
}

TEST(Shorten, CountsCharactersNotBytes) {
    EXPECT_EQ(shorten("äöü", 3), "äöü");
    EXPECT_EQ(shorten("äöü", 2), "äö…");
    EXPECT_EQ(shorten("", 0), "");
    EXPECT_EQ(count_columns("äöü"), 3U);
}

}  // namespace
}  // namespace evalfleet::report
