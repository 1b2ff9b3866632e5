#include "common/http/proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

ProxyRules rules(std::string no_proxy) {
    return ProxyRules::create({"http://web:3128", "http://secure:3129", std::move(no_proxy)})
        .value();
}

TEST(ProxyRules, ChooseByTheSchemeOfTheUrl) {
    const ProxyRules both = rules("");
    EXPECT_EQ(both.choose(*Url::parse("http://a"))->url.host, "web");
    EXPECT_EQ(both.choose(*Url::parse("https://a"))->url.port, 3129);
    const auto none = ProxyRules::create({}).value();
    EXPECT_EQ(none.choose(*Url::parse("https://a")), nullptr);
}

TEST(ProxyRules, TakeAProxyWithoutAScheme) {
    const auto bare = ProxyRules::create({"proxy:8080", "", ""});
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->choose(*Url::parse("http://a"))->url.port, 8080);
}

TEST(ProxyRules, KnowProxiesBySchemeAndUsualPort) {
    struct Case {
        const char* text;
        Proxy::Kind kind;
        std::uint16_t port;
    };
    for (const Case& one :
         {Case{"http://a", Proxy::Kind::http, 80}, Case{"https://a", Proxy::Kind::https, 443},
          Case{"HTTPS://a:8443/", Proxy::Kind::https, 8443},
          Case{"socks5://a", Proxy::Kind::socks5, 1080},
          Case{"socks5h://u:p@a:9050", Proxy::Kind::socks5_names, 9050},
          Case{"socks5://[::1]", Proxy::Kind::socks5, 1080}}) {
        const auto made = ProxyRules::create({"", one.text, ""});
        ASSERT_TRUE(made) << one.text << made.error().message;
        const Proxy* proxy = made->choose(*Url::parse("https://b"));
        EXPECT_EQ(proxy->kind, one.kind) << one.text;
        EXPECT_EQ(proxy->url.port, one.port) << one.text;
    }
}

TEST(ProxyRules, RefuseOtherKindsOfProxies) {
    const auto other = ProxyRules::create({"socks4://a:1", "", ""});
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message,
                ::testing::HasSubstr("HTTP_PROXY: found socks4://, allowed: a proxy of http://, "));
    EXPECT_FALSE(ProxyRules::create({"ftp://a:1", "", ""}));
    const auto wrong = ProxyRules::create({"", "http://user:hunter2@a:99999", ""});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, ::testing::StartsWith("HTTPS_PROXY: "));
    EXPECT_THAT(wrong.error().message, ::testing::Not(::testing::HasSubstr("hunter2")));
}

TEST(NoProxy, MatchesANameAndAllUnderIt) {
    for (const char* list : {"example.com", ".example.com", " x , Example.COM "}) {
        const ProxyRules some = rules(list);
        EXPECT_TRUE(some.is_excluded("example.com", 80)) << list;
        EXPECT_TRUE(some.is_excluded("api.example.com", 80)) << list;
        EXPECT_FALSE(some.is_excluded("badexample.com", 80)) << list;
        EXPECT_FALSE(some.is_excluded("example.com.evil.net", 80)) << list;
        EXPECT_FALSE(some.is_excluded("com", 80)) << list;
    }
}

TEST(NoProxy, MatchesEverythingWithAStar) {
    EXPECT_TRUE(rules("a,*").is_excluded("b", 80));
    EXPECT_FALSE(rules("*.a").is_excluded("b", 80));
}

TEST(NoProxy, MatchesAPortOnlyIfItIsNamed) {
    EXPECT_TRUE(rules("a:8080").is_excluded("a", 8080));
    EXPECT_FALSE(rules("a:8080").is_excluded("a", 80));
    EXPECT_TRUE(rules("[::1]:8080").is_excluded("::1", 8080));
    EXPECT_FALSE(rules("[::1]:8080").is_excluded("::1", 80));
}

TEST(NoProxy, MatchesAddressesAndRanges) {
    const ProxyRules some = rules("127.0.0.1,10.0.0.0/8,fd00::/8,::1");
    EXPECT_TRUE(some.is_excluded("127.0.0.1", 80));
    EXPECT_TRUE(some.is_excluded("10.200.3.4", 80));
    EXPECT_FALSE(some.is_excluded("11.0.0.1", 80));
    EXPECT_TRUE(some.is_excluded("fdab::1", 80));
    EXPECT_FALSE(some.is_excluded("fe80::1", 80));
    EXPECT_TRUE(some.is_excluded("0:0:0:0:0:0:0:1", 80));
    EXPECT_FALSE(rules("0.1").is_excluded("10.0.0.1", 80)) << "a name's end is not an address's";
    EXPECT_FALSE(rules("10.0.0.0/99").is_excluded("10.0.0.0", 80));
}

TEST(Credentials, AreEncodedFromTheUserinfo) {
    EXPECT_EQ(basic_credentials(*Url::parse("http://Aladdin:open%20sesame@a")),
              "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    EXPECT_EQ(basic_credentials(*Url::parse("http://a")), "");
}

}  // namespace
}  // namespace evalfleet::http
