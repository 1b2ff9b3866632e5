#include "coordinator/views/text_search.hpp"

#include "common/redaction/kind.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::views {
namespace {

TEST(TextSearch, PassesOverLinesThatHaveNothingOfIt) {
    EXPECT_FALSE(TextSearch("Paris").may_be_in_json(R"({"answer":"Berlin"})"));
    EXPECT_TRUE(TextSearch("Paris").may_be_in_json(R"({"answer":"in PARIS"})"));
    EXPECT_TRUE(TextSearch("Paris").is_in("in PARIS"));
}

TEST(TextSearch, ReadsLinesThatMayHaveItWrittenInAnotherWay) {
    EXPECT_TRUE(TextSearch("Paris").may_be_in_json(R"({"answer":"\u0050aris"})"));
    EXPECT_TRUE(TextSearch("\xC3\xA9t\xC3\xA9").may_be_in_json(R"({"answer":"\u00e9t\u00e9"})"));
    EXPECT_TRUE(TextSearch("a\nb").may_be_in_json(R"({"answer":"a\nb"})"));
    EXPECT_TRUE(TextSearch("say \"no\"").may_be_in_json(R"({"answer":"say \"no\""})"));
    EXPECT_TRUE(TextSearch("a/b").may_be_in_json(R"({"answer":"a\/b"})"));
}

TEST(TextSearch, ReadsLinesOfWhichTheRedactedTextMayHaveIt) {
    const std::string line = R"({"task":"write to ada@example.com"})";
    EXPECT_TRUE(TextSearch("to [redacted").may_be_in_json(line));
    EXPECT_TRUE(TextSearch("REDACT").may_be_in_json(line));
    for (std::size_t kind = 0; kind < redaction::kKindCount; ++kind) {
        const auto name = redaction::to_string(static_cast<redaction::Kind>(kind));
        EXPECT_TRUE(TextSearch(name).may_be_in_json(line)) << name;
        EXPECT_TRUE(TextSearch(name.substr(1)).may_be_in_json(line)) << name;
    }
}

}  // namespace
}  // namespace evalfleet::views
