#include "common/scoring/prompt_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace evalfleet::scoring {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

std::string render(std::string text, const Values& values) {
    return PromptTemplate(std::move(text))
        .render([&values](std::string_view name) -> std::optional<std::string_view> {
            const auto found = values.find(name);
            if (found == values.end()) return std::nullopt;
            return found->second;
        });
}

TEST(PromptTemplate, FillsInEveryPlaceholder) {
    EXPECT_EQ(render("a {{x}} b {{y_2}}{{x}}", {{"x", "1"}, {"y_2", "2"}}), "a 1 b 21");
}

TEST(PromptTemplate, NeverLooksAtWhatItInserted) {
    EXPECT_EQ(render("{{a}}{{b}}", {{"a", "{{b}}"}, {"b", "{{a}}"}}), "{{b}}{{a}}");
    EXPECT_EQ(render("{{a}}{{b}}", {{"a", "{{"}, {"b", "a}}"}}), "{{a}}");
    EXPECT_EQ(render("{{{a}}b}}", {{"a", "{"}}), "{{b}}");
}

TEST(PromptTemplate, TakesWhatIsNotAPlaceholderAsText) {
    for (const char* const text :
         {"{{", "}}", "{{}}", "{{ }}", "{{a b}}", "{{a\n}}", "{{\va}}", "{{a\r}}",
          "{{\xC2\xA0"
          "a}}",
          "{{a} }", "{{a}", "{a}}", "{{1a}}", "{{a-b}}", "{{a", "{{a ", "{{\xC3\xA9}}", "{ {a}}"}) {
        EXPECT_EQ(render(text, {{"a", "x"}}), text);
    }
}

TEST(PromptTemplate, AllowsSpacesAndTabsAroundAName) {
    EXPECT_EQ(render("{{ a }}|{{a }}|{{\ta}}|{{ \t a\t \t}}", {{"a", "x"}}), "x|x|x|x");
    EXPECT_EQ(render("{{{ a }}}", {{"a", "x"}}), "{x}");
    EXPECT_EQ(render("{{ {{ a }}", {{"a", "x"}}), "{{ x");
}

TEST(PromptTemplate, FindsBracesThatAreNoPlaceholder) {
    EXPECT_EQ(PromptTemplate("{{a}} {{ b\t}} {{{c}}} } { {").leftover(), std::nullopt);
    EXPECT_EQ(PromptTemplate("x {{a-b}} {{c}}\nrest").leftover(), "{{a-b}} {{c}}");
    EXPECT_EQ(PromptTemplate("{{a}}{{").leftover(), "{{");
    EXPECT_EQ(PromptTemplate("{{{{a}}}}").leftover(), "{{{{a}}}}");
}

TEST(PromptTemplate, KnowsWhichNamesItHas) {
    const PromptTemplate prompt("{{ task }} {{x y}}");
    EXPECT_TRUE(prompt.has("task"));
    EXPECT_FALSE(prompt.has("x"));
}

TEST(PromptTemplate, ScansFromTheLeft) {
    EXPECT_EQ(render("{{{a}}}", {{"a", "x"}}), "{x}");
    EXPECT_EQ(render("{{{{a}}}}", {{"a", "x"}}), "{{x}}");
    EXPECT_EQ(render("{{a{{a}}", {{"a", "x"}}), "{{ax");
}

TEST(PromptTemplate, LeavesNothingForANameWithoutAValue) {
    EXPECT_EQ(render("[{{gone}}]", {}), "[]");
}

TEST(PromptTemplate, ListsItsNamesInOrder) {
    const PromptTemplate prompt("{{b}} {{ c }} {{a}}{{b}}");
    EXPECT_THAT(prompt.names(), testing::ElementsAre("b", "c", "a", "b"));
}

TEST(PromptTemplate, KeepsNulAndControlCharacters) {
    EXPECT_EQ(render("{{a}}", {{"a", std::string("\0\x01", 2)}}), std::string("\0\x01", 2));
}

}  // namespace
}  // namespace evalfleet::scoring
