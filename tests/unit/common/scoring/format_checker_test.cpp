#include "common/scoring/format_checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::scoring {
namespace {

using job::ExpectedFormat;
using Kind = ExpectedFormat::Kind;

TEST(FormatChecker, TakesOneJsonValueAndNothingElse) {
    const auto checker = FormatChecker::compile({Kind::json, ""});
    EXPECT_TRUE(checker->accepts(" {\"a\": 1e999} \n"));
    EXPECT_FALSE(checker->accepts("```json\n{}\n```"));
    EXPECT_FALSE(checker->accepts(""));
}

TEST(FormatChecker, AppliesASchema) {
    const auto checker = FormatChecker::compile({Kind::json_schema, R"({"required": ["a"]})"});
    EXPECT_TRUE(checker->accepts("{\"a\": 1}"));
    EXPECT_EQ(checker->violation("{}"), "$: lacks the member \"a\"");
    EXPECT_EQ(checker->violation("no"), "the answer is not JSON");
}

TEST(FormatChecker, MatchesARegexAgainstTheWholeAnswer) {
    const auto checker = FormatChecker::compile({Kind::regex, "yes|no"});
    EXPECT_TRUE(checker->accepts("no"));
    EXPECT_FALSE(checker->accepts("no way"));
    EXPECT_FALSE(checker->accepts("no\n"));
}

TEST(FormatChecker, StaysLinearWhereBacktrackingWouldNot) {
    const auto checker = FormatChecker::compile({Kind::regex, "(a+)+b"});
    EXPECT_FALSE(checker->accepts(std::string(100'000, 'a')));
}

TEST(FormatChecker, RefusesWhatCannotBeChecked) {
    EXPECT_THAT(FormatChecker::compile({Kind::regex, "("}).error().message,
                testing::HasSubstr("expected_format.regex: "));
    EXPECT_FALSE(FormatChecker::compile({Kind::regex, "((a{100}){100}){100}"}));
    EXPECT_THAT(FormatChecker::compile({Kind::json_schema, R"({"if": true})"}).error().message,
                testing::HasSubstr("the keyword \"if\" is not supported"));
}

}  // namespace
}  // namespace evalfleet::scoring
