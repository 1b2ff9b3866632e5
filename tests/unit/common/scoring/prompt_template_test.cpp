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
    for (const char* const text : {"{{", "}}", "{{}}", "{{ a }}", "{{a }}", "{{a}", "{a}}",
                                   "{{1a}}", "{{a-b}}", "{{a", "{{\xC3\xA9}}", "{ {a}}"}) {
        EXPECT_EQ(render(text, {{"a", "x"}}), text);
    }
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
    EXPECT_THAT(prompt.names(), testing::ElementsAre("b", "a", "b"));
}

TEST(PromptTemplate, KeepsNulAndControlCharacters) {
    EXPECT_EQ(render("{{a}}", {{"a", std::string("\0\x01", 2)}}), std::string("\0\x01", 2));
}

}  // namespace
}  // namespace evalfleet::scoring
