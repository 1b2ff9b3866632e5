#include "common/http/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, TakesItsPartsApart) {
    const auto url = Url::parse("HTTPS://User:Pw@Example.COM:8443/v1/chat?x=1#top");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->scheme, Scheme::https);
    EXPECT_EQ(url->userinfo, "User:Pw");
    EXPECT_EQ(url->host, "example.com");
    EXPECT_EQ(url->port, 8443);
    EXPECT_EQ(url->target, "/v1/chat?x=1");
}

TEST(Url, KnowsTheDefaultPorts) {
    EXPECT_EQ(Url::parse("http://a")->port, 80);
    EXPECT_EQ(Url::parse("https://a")->port, 443);
    EXPECT_EQ(Url::parse("http://a:80")->authority(), "a");
    EXPECT_EQ(Url::parse("http://a:443")->authority(), "a:443");
    EXPECT_EQ(Url::parse("https://a:443")->host_and_port(), "a:443");
}

TEST(Url, AddsTheSlashThatEveryTargetBeginsWith) {
    EXPECT_EQ(Url::parse("http://a")->target, "/");
    EXPECT_EQ(Url::parse("http://a?x=1")->target, "/?x=1");
    EXPECT_EQ(Url::parse("http://a#x")->target, "/");
}

TEST(Url, TakesIpv6InBrackets) {
    const auto url = Url::parse("http://[::1]:8080/x");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->port, 8080);
    EXPECT_EQ(url->authority(), "[::1]:8080");
    EXPECT_EQ(Url::parse("http://[2001:DB8::1]")->authority(), "[2001:db8::1]");
}

TEST(Url, RefusesWhatItWouldHaveToGuess) {
    for (const char* text : {"",
                             "example.com",
                             "//example.com",
                             "ftp://a",
                             "http://",
                             "http:///x",
                             "http://:80",
                             "http://a:0",
                             "http://a:65536",
                             "http://a:",
                             "http://a:8o",
                             "http://a:-1",
                             "http://[::1",
                             "http://[::1]8080",
                             "http://[1.2.3.4]",
                             "http://a b",
                             "http://a/ b",
                             "http://a/\r\nX: y",
                             "http://a/\xC3\xA4",
                             "http://ex%61mple",
                             "http://a\\b",
                             "http://.a",
                             "http://a,b",
                             "javascript://x"}) {
        EXPECT_FALSE(Url::parse(text)) << text;
    }
    EXPECT_EQ(Url::parse("http://a/" + std::string(20'000, 'x')).error().kind,
              ErrorKind::too_large);
}

TEST(Url, NeverShowsItsUserinfoOrQuery) {
    const auto url = Url::parse("http://user:hunter2@a/path?key=sk-1");
    EXPECT_EQ(url->redacted(), "http://***@a/path?***");
    EXPECT_THAT(Url::parse("http://user:hunter2@a:99999/").error().message,
                Not(HasSubstr("hunter2")));
    EXPECT_EQ(mask_userinfo("http://u:p@h/x@y"), "http://***@h/x@y");
    EXPECT_EQ(mask_userinfo("u:p@h"), "***@h");
    EXPECT_EQ(mask_userinfo("http://h/x@y"), "http://h/x@y");
}

TEST(Url, AppendsAPath) {
    EXPECT_EQ(Url::parse("http://a/v1/")->with_path_appended("/chat").target, "/v1/chat");
    EXPECT_EQ(Url::parse("http://a")->with_path_appended("/chat").target, "/chat");
    EXPECT_EQ(Url::parse("http://a/v1?api=2")->with_path_appended("/chat").target,
              "/v1/chat?api=2");
}

}  // namespace
}  // namespace evalfleet::http
