#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HtmlReport, ShowsVerdictGatesAndExamples) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, StartsWith("<!doctype html>"));
    EXPECT_THAT(html, HasSubstr("<strong>NOT READY</strong>"));
    EXPECT_THAT(html, HasSubstr("within the noise of this sample size"));
    EXPECT_THAT(html, HasSubstr("overridden; the default is 10.0 s"));
    EXPECT_THAT(html, HasSubstr("<summary>s0 #1"));
}

TEST(HtmlReport, EscapesWhatModelsWrote) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("\x1b")));
}

TEST(HtmlReport, LoadsNothingFromOutside) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    for (const char* loader : {"http://", "https://", "src=", "url(", "@import"})
        EXPECT_THAT(html, Not(HasSubstr(loader))) << loader;
}

/// Every element that is opened is closed, in order.
TEST(HtmlReport, IsWellFormed) {
    const ExampleRun run;
    const std::string html = to_html(run.report());
    std::vector<std::string> open;
    for (auto at = html.find('<', html.find("<html")); at != std::string::npos;
         at = html.find('<', at + 1)) {
        const auto end = html.find('>', at);
        const bool closes = html[at + 1] == '/';
        const auto begin = at + (closes ? 2 : 1);
        const std::string name = html.substr(begin, html.find_first_of(" >/", begin) - begin);
        const bool is_void = name == "meta" || name == "br" || html[end - 1] == '/';
        if (is_void) continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

}  // namespace
}  // namespace evalfleet::report
