#include "tests/integration/redis/scenario.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using testing::CertificateAuthority;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RedisServer;

/// A server that speaks TLS only, asks for certificates, and knows the user "worker".
class SecureServer : public ::testing::Test {
  protected:
    static RedisServer::Options options(CertificateAuthority& authority) {
        const auto files = authority.issue_server({"localhost"});
        return {
            .tls = RedisServer::Tls{authority.certificate(), files.certificate, files.key, true},
            .arguments = {"--user", "default", "off", "--user", "worker", "on", ">correct",
                          "~job:*", "+@all", "-flushall"}};
    }

    Config good_config() {
        Config config = quick_config(server_.tls_url());
        const auto files = authority_.issue_client("worker");
        config.tls->ca_file = authority_.certificate();
        config.tls->cert_file = files.certificate;
        config.tls->key_file = files.key;
        config.user = "worker";
        config.password = "correct";
        return config;
    }

    /// What `ready` says to a client with this configuration.
    static Error refusal(const Config& config) {
        Error error;
        auto play = [&error](Client& client) -> asio::awaitable<void> {
            const Status status = co_await client.ready(soon());
            EXPECT_FALSE(status);
            if (!status) error = status.error();
        };
        with_client(config, play);
        return error;
    }

    CertificateAuthority authority_;
    RedisServer server_{options(authority_)};
};

TEST_F(SecureServer, IsUsedByAClientWithCertificateAndPassword) {
    auto play = [](Client& client) -> asio::awaitable<void> {
        EXPECT_TRUE(co_await client.execute(Command("SET", "job:1", "x"), soon()));
        const std::string large(1024 * 1024, 'x');
        const auto got = co_await client.execute_as<bool>(Command("SET", "job:2", large), soon());
        EXPECT_TRUE(got.value());
        const auto size =
            co_await client.execute_as<std::int64_t>(Command("STRLEN", "job:2"), soon());
        EXPECT_EQ(size.value(), 1024 * 1024);
    };
    with_client(good_config(), play);
}

TEST_F(SecureServer, DeniesWhatTheUserMayNotDo) {
    auto play = [](Client& client) -> asio::awaitable<void> {
        const auto foreign = co_await client.execute(Command("GET", "other:1"), soon());
        EXPECT_EQ(foreign.error().kind, ErrorKind::denied);
        const auto flush = co_await client.execute(Command("FLUSHALL"), soon());
        EXPECT_EQ(flush.error().kind, ErrorKind::denied);
    };
    with_client(good_config(), play);
}

TEST_F(SecureServer, IsNotTrustedUnderAnotherAuthority) {
    CertificateAuthority other;
    Config config = good_config();
    config.tls->ca_file = other.certificate();
    const Error error = refusal(config);
    EXPECT_EQ(error.kind, ErrorKind::tls);
    EXPECT_THAT(error.message, HasSubstr("refused"));
}

TEST_F(SecureServer, IsNotTrustedByTheSystemsAuthorities) {
    Config config = good_config();
    config.tls->ca_file = "";
    EXPECT_EQ(refusal(config).kind, ErrorKind::tls);
}

TEST_F(SecureServer, IsNotTrustedUnderAnotherName) {
    Config config = good_config();
    config.tls->server_name = "redis.example";
    EXPECT_EQ(refusal(config).kind, ErrorKind::tls);
    config = good_config();
    config.endpoint.host = "127.0.0.1";  // not in the certificate
    EXPECT_EQ(refusal(config).kind, ErrorKind::tls);
}

TEST_F(SecureServer, IsTrustedByAddressUnderTheNameThatIsExpected) {
    Config config = good_config();
    config.endpoint.host = "127.0.0.1";
    config.tls->server_name = "localhost";
    auto play = [](Client& client) -> asio::awaitable<void> {
        EXPECT_TRUE(co_await client.ready(soon()));
    };
    with_client(config, play);
}

TEST_F(SecureServer, RefusesAClientWithoutCertificate) {
    Config config = good_config();
    config.tls->cert_file = config.tls->key_file = "";
    EXPECT_EQ(refusal(config).kind, ErrorKind::tls);
}

TEST_F(SecureServer, RefusesAClientOfAnotherAuthority) {
    CertificateAuthority other;
    const auto files = other.issue_client("worker");
    Config config = good_config();
    config.tls->cert_file = files.certificate;
    config.tls->key_file = files.key;
    EXPECT_EQ(refusal(config).kind, ErrorKind::tls);
}

TEST_F(SecureServer, RefusesAWrongPasswordWithoutShowingIt) {
    Config config = good_config();
    config.password = "hunter2";
    const Error error = refusal(config);
    EXPECT_EQ(error.kind, ErrorKind::denied);
    EXPECT_THAT(error.message, HasSubstr("WRONGPASS"));
    EXPECT_THAT(error.message, Not(HasSubstr("hunter2")));
}

TEST_F(SecureServer, RefusesAClientWithoutPassword) {
    Config config = good_config();
    config.user = config.password = "";
    EXPECT_EQ(refusal(config).kind, ErrorKind::denied);
}

TEST_F(SecureServer, NamesAFileThatCannotBeRead) {
    Config config = good_config();
    config.tls->ca_file = "/nonexistent/ca.pem";
    const Error error = refusal(config);
    EXPECT_EQ(error.kind, ErrorKind::tls);
    EXPECT_THAT(error.message, HasSubstr("/nonexistent/ca.pem"));
}

TEST_F(SecureServer, IsFoundAgainAfterARestart) {
    auto play = [this](Client& client) -> asio::awaitable<void> {
        EXPECT_TRUE(co_await client.execute(Command("SET", "job:1", "x"), soon()));
        server_.restart();
        co_await await_state(client, [](const auto& s) { return s.connects == 2; });
        EXPECT_TRUE(co_await client.execute(Command("SET", "job:1", "x"), soon()));
    };
    with_client(good_config(), play);
}

TEST(ExpiredServer, IsNotTrusted) {
    CertificateAuthority authority;
    const auto files = authority.issue_expired_server();
    RedisServer server(
        {.tls = RedisServer::Tls{authority.certificate(), files.certificate, files.key, false}});
    Config config = quick_config(server.tls_url());
    config.tls->ca_file = authority.certificate();
    auto play = [](Client& client) -> asio::awaitable<void> {
        const Status status = co_await client.ready(soon());
        EXPECT_EQ(status.error().kind, ErrorKind::tls);
        EXPECT_THAT(status.error().message, HasSubstr("expired"));
    };
    with_client(config, play);
}

}  // namespace
}  // namespace evalfleet::redis
