#include "common/redis/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, ReadsHostPortAndDatabase) {
    const Config config = parse_url("redis://cache.example:6380/3").value();
    EXPECT_EQ(config.endpoint, (Endpoint{"cache.example", 6380, ""}));
    EXPECT_EQ(config.database, 3);
    EXPECT_FALSE(config.tls);
}

TEST(Url, HasDefaultsForPortDatabaseAndUser) {
    const Config config = parse_url("redis://cache").value();
    EXPECT_EQ(config.endpoint.port, 6379);
    EXPECT_EQ(config.database, 0);
    EXPECT_EQ(config.user, "");
    EXPECT_EQ(config.password, "");
}

TEST(Url, ReadsAnIpv6Address) {
    EXPECT_EQ(parse_url("redis://[::1]:7000").value().endpoint, (Endpoint{"::1", 7000, ""}));
    EXPECT_EQ(parse_url("redis://[::1]").value().endpoint.port, 6379);
}

TEST(Url, DecodesUserAndPassword) {
    const Config config = parse_url("redis://wor%6ber:p%40ss%3A%2Fword@cache").value();
    EXPECT_EQ(config.user, "worker");
    EXPECT_EQ(config.password, "p@ss:/word");
}

TEST(Url, TakesAPasswordWithoutAUser) {
    const Config config = parse_url("redis://:secret@cache").value();
    EXPECT_EQ(config.user, "");
    EXPECT_EQ(config.password, "secret");
}

TEST(Url, ReadsAUnixSocket) {
    const Config config = parse_url("unix://me:secret@/run/my%20redis.sock?db=2").value();
    EXPECT_EQ(config.endpoint.unix_path, "/run/my redis.sock");
    EXPECT_EQ(config.database, 2);
    EXPECT_EQ(config.password, "secret");
}

TEST(Url, ReadsTlsOptions) {
    const Config config =
        parse_url("rediss://h?ca_file=/ca&cert_file=/c&key_file=/k&server_name=n&client_name=w")
            .value();
    ASSERT_TRUE(config.tls);
    EXPECT_EQ(config.tls->ca_file, "/ca");
    EXPECT_EQ(config.tls->cert_file, "/c");
    EXPECT_EQ(config.tls->key_file, "/k");
    EXPECT_EQ(config.tls->server_name, "n");
    EXPECT_EQ(config.client_name, "w");
}

TEST(Url, ReadsSentinelsAndTheNameOfTheMaster) {
    const Config config =
        parse_url("redis+sentinel://u:p@a,[::1]:7000/prod/2?sentinel_password=s%40").value();
    ASSERT_TRUE(config.discovery);
    EXPECT_EQ(config.discovery->kind, Discovery::Kind::sentinel);
    EXPECT_EQ(config.discovery->seeds,
              (std::vector<Endpoint>{{"a", 26379, ""}, {"::1", 7000, ""}}));
    EXPECT_EQ(config.discovery->master, "prod");
    EXPECT_EQ(config.discovery->sentinel_password, "s@");
    EXPECT_EQ(config.database, 2);
    EXPECT_EQ(config.password, "p");
    EXPECT_EQ(to_string(config), "redis+sentinel://u:***@a:26379,[::1]:7000/prod/2");
}

TEST(Url, ReadsTheNodesOfAClusterOverTls) {
    const Config config = parse_url("rediss+cluster://a:1,b?ca_file=/ca").value();
    ASSERT_TRUE(config.discovery && config.tls);
    EXPECT_EQ(config.discovery->kind, Discovery::Kind::cluster);
    EXPECT_EQ(config.discovery->seeds, (std::vector<Endpoint>{{"a", 1, ""}, {"b", 6379, ""}}));
    EXPECT_EQ(to_string(config), "rediss+cluster://a:1,b:6379");
}

TEST(Url, RefusesSentinelsWithoutAMasterAndDatabasesOfACluster) {
    EXPECT_THAT(parse_url("redis+sentinel://a,b").error().message, HasSubstr("master"));
    EXPECT_THAT(parse_url("redis+sentinel://a,,b/m").error().message, HasSubstr("host is missing"));
    EXPECT_THAT(parse_url("redis+cluster://a/1").error().message, HasSubstr("cluster has only 0"));
    EXPECT_THAT(parse_url("redis://a?sentinel_user=x").error().message, HasSubstr("options are"));
}

class BadUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(BadUrl, IsRefusedWithoutShowingThePassword) {
    const auto config = parse_url(GetParam());
    ASSERT_FALSE(config) << GetParam();
    EXPECT_EQ(config.error().kind, ErrorKind::invalid);
    EXPECT_THAT(config.error().message, Not(HasSubstr("hunter2")));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadUrl,
    ::testing::Values("", "hunter2", "http://u:hunter2@h", "redis:u:hunter2@h", "redis://",
                      "redis://u:hunter2@", "redis://u:hunter2@h:0", "redis://u:hunter2@h:65536",
                      "redis://u:hunter2@h:", "redis://u:hunter2@h:12x", "redis://u:hunter2@h/x",
                      "redis://u:hunter2@h/-1", "redis://u:hunter2@h?nonsense=1",
                      "redis://u:hunter2@h?db", "redis://u:hunter2%4@h", "redis://u:hunter2%zz@h",
                      "redis://hunter2@h", "redis://u:@h", "redis://u:hunter2@h?ca_file=/x",
                      "redis://u:hunter2#@h", "redis://u:hunter2@[::1", "redis://u:hunter2@[::1]7",
                      "unix://u:hunter2@host/path", "unix://u:hunter2@", "unix:///",
                      "rediss://u:hunter2@h?cert_file=/only", "redis://h?client_name=a%20b",
                      "redis://u:hunter2@h?db=99999999999999"));

TEST(Config, IsShownWithoutItsPassword) {
    EXPECT_EQ(to_string(parse_url("rediss://me:hunter2@h:1/2").value()), "rediss://me:***@h:1/2");
    EXPECT_EQ(to_string(parse_url("redis://:hunter2@[::1]").value()), "redis://:***@[::1]:6379/0");
    EXPECT_EQ(to_string(parse_url("unix://:hunter2@/s").value()), "unix://:***@/s?db=0");
    EXPECT_EQ(to_string(parse_url("redis://h").value()), "redis://h:6379/0");
}

TEST(Config, NamesTheWrongFieldAndItsValue) {
    Config config;
    config.ping_timeout = std::chrono::milliseconds(-3);
    EXPECT_EQ(validate(config).error().message, "redis: ping_timeout is '-3 ms', must be positive");
    config = Config{};
    config.backoff.max = std::chrono::milliseconds(1);
    EXPECT_THAT(validate(config).error().message, HasSubstr("backoff.max is '1 ms'"));
    config = Config{};
    config.endpoint.unix_path = std::string(200, 'x');
    EXPECT_THAT(validate(config).error().message, HasSubstr("unix_path"));
}

}  // namespace
}  // namespace evalfleet::redis
