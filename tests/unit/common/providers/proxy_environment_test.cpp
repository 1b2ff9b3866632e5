#include "common/providers/proxy_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace evalfleet::providers {
namespace {

TEST(ProxyEnvironment, ReadsProxiesInEitherCase) {
    const std::map<std::string, std::string> variables{
        {"HTTP_PROXY", "http://a"}, {"https_proxy", "http://b"}, {"HTTPS_PROXY", "http://c"}};
    const auto proxy = read_proxy([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
    EXPECT_EQ(proxy.http_proxy, "http://a");
    EXPECT_EQ(proxy.https_proxy, "http://b");
    EXPECT_EQ(proxy.no_proxy, "");
}

TEST(ProxyEnvironment, TakesTheProxyOfAllWhereNoneIsSetForOne) {
    const std::map<std::string, std::string> set{{"ALL_PROXY", "http://all"},
                                                 {"HTTPS_PROXY", "http://c"}};
    const auto proxy = read_proxy([&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
    });
    EXPECT_EQ(proxy.http_proxy, "http://all");
    EXPECT_EQ(proxy.https_proxy, "http://c");
}

TEST(ProxyEnvironment, TakesAProxyOfAnyKindForAll) {
    const auto proxy = read_proxy([](const std::string& name) -> std::optional<std::string> {
        if (name == "ALL_PROXY") return "socks5://127.0.0.1:1080";
        return std::nullopt;
    });
    EXPECT_EQ(proxy.http_proxy, "socks5://127.0.0.1:1080");
    EXPECT_EQ(proxy.https_proxy, "socks5://127.0.0.1:1080");
}

TEST(ProxyEnvironment, IsNamedByTheVariableThatIsWrong) {
    const auto proxy = read_proxy([](const std::string& name) -> std::optional<std::string> {
        if (name == "ALL_PROXY") return "socks4://me:hunter2@127.0.0.1:1080";
        return std::nullopt;
    });
    const auto rules = http::ProxyRules::create(proxy);
    ASSERT_FALSE(rules);
    EXPECT_THAT(rules.error().message, ::testing::StartsWith("ALL_PROXY: found socks4://, "));
    EXPECT_THAT(rules.error().message, ::testing::Not(::testing::HasSubstr("hunter2")));
}

}  // namespace
}  // namespace evalfleet::providers
