#include "common/http/problem.hpp"
#include "coordinator/web/assets.hpp"
#include "coordinator/web/error_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AssetBook, ServesEveryFileUnderItsHashOnly) {
    const AssetBook book({{"index.html", "<a __ASSETS__/a.js __ASSETS__/b.css>"},
                          {"a.js", "1"},
                          {"ui/b.css", std::string_view("\0x", 2)}},
                         "abc");
    EXPECT_EQ(book.index_page(), "<a /assets/abc/a.js /assets/abc/b.css>");
    ASSERT_NE(book.find("abc", "ui/b.css"), nullptr);
    EXPECT_EQ(book.find("abc", "ui/b.css")->bytes.size(), 2U);
    EXPECT_EQ(book.find("abc", "a.js")->content_type, "text/javascript; charset=utf-8");
    EXPECT_EQ(book.find("old", "a.js"), nullptr);
    EXPECT_EQ(book.find("abc", "index.html"), nullptr);
    EXPECT_EQ(book.find("abc", "../a.js"), nullptr);
}

TEST(AssetBook, ServesTheStyleSheetsOfThePageAsOneInTheirOrder) {
    const AssetBook book({{"index.html",
                           "<a>\n<link rel=\"stylesheet\" href=\"__ASSETS__/z.css\">\n"
                           "<link rel=\"stylesheet\" href=\"__ASSETS__/ui/b.css\">\n<script>"},
                          {"ui/b.css", "b {}"},
                          {"z.css", "z {}"}},
                         "abc");
    EXPECT_EQ(book.index_page(),
              "<a>\n<link rel=\"stylesheet\" href=\"/assets/abc/all.css\">\n<script>");
    ASSERT_NE(book.find("abc", "all.css"), nullptr);
    EXPECT_EQ(book.find("abc", "all.css")->bytes, "z {}\nb {}\n");
    EXPECT_EQ(book.find("abc", "all.css")->content_type, "text/css; charset=utf-8");
}

TEST(AssetBook, HasThePagesThatWereBuiltIn) {
    EXPECT_GT(asset_book().find(asset_book().prefix().substr(8), "all.css")->bytes.size(), 1000U);
    EXPECT_THAT(asset_book().index_page(), HasSubstr(asset_book().prefix()));
    EXPECT_THAT(asset_book().index_page(), Not(HasSubstr(AssetBook::kPlaceholder)));
    EXPECT_THAT(asset_book().index_page(), Not(HasSubstr("<script>"))) << "the policy forbids it";
    EXPECT_THAT(asset_book().index_page(), Not(HasSubstr(" style=")));
}

http::RequestContext request(const std::string& accept, const std::string& method = "GET") {
    http::RequestContext request;
    request.method = method;
    request.path = "/api/v1/runs/a<b";
    request.query = http::Query::parse("x=1&y=%22").value();
    if (!accept.empty()) request.headers.add("Accept", accept);
    return request;
}

TEST(ErrorPage, IsForBrowsersAlone) {
    EXPECT_TRUE(wants_page(request("text/html,application/xhtml+xml,*/*;q=0.8")));
    EXPECT_FALSE(wants_page(request("*/*")));
    EXPECT_FALSE(wants_page(request("application/json")));
    EXPECT_FALSE(wants_page(request("")));
    EXPECT_FALSE(wants_page(request("text/html", "POST")));
}

TEST(ErrorPage, ShowsWhatWentWrongAsText) {
    auto problem =
        http::Problem{.status = 404, .detail = "no <script>alert(1)</script>"}.to_reply();
    const auto page = error_page(request("text/html"), std::move(problem));
    EXPECT_EQ(page.status, 404);
    EXPECT_EQ(page.headers.find("Content-Type"), "text/html; charset=utf-8");
    EXPECT_THAT(page.body, HasSubstr("no &lt;script&gt;"));
    EXPECT_THAT(page.body, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page.body, Not(HasSubstr("/login")));
}

TEST(ErrorPage, LeadsToTheSignInAndBack) {
    auto problem = http::Problem{.status = 401, .detail = "a token is needed"}.to_reply();
    problem.headers.set("WWW-Authenticate", "Bearer");
    const auto page = error_page(request("text/html"), std::move(problem));
    EXPECT_EQ(page.headers.find("WWW-Authenticate"), "Bearer");
    EXPECT_THAT(page.body, HasSubstr("/login?next=%2Fapi%2Fv1%2Fruns%2Fa%3Cb%3Fx%3D1%26y%3D%2522"));
}

}  // namespace
}  // namespace evalfleet::web
