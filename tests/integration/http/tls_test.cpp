#include "tests/integration/http/client_fixture.hpp"
#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/certificates.hpp"

#include <gmock/gmock.h>

namespace evalfleet::http {
namespace {

using testing::CertificateAuthority;
using testing::CertificateFiles;
using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;

/// Clients that trust `authority_`, and servers with a certificate of it.
class HttpTls : public HttpClientTest {
  protected:
    ClientConfig trusting() {
        ClientConfig config;
        config.ca_file = authority_.certificate();
        return config;
    }

    static ServerConfig with_identity(const CertificateFiles& files) {
        ServerConfig config;
        config.tls = TlsServerConfig{files.certificate, files.key, {}};
        return config;
    }

    Error failure_of(const std::string& url) {
        const auto response = send(get(url));
        return response ? Error{ErrorKind::internal, "it worked"} : response.error();
    }

    CertificateAuthority authority_;
};

TEST_F(HttpTls, CallsAServerItTrusts) {
    const RunningServer server(make_router(), with_identity(authority_.issue_server()));
    client(trusting());
    for (int i = 0; i < 3; ++i) {
        const auto response = send(get(server.url("/hello")));
        ASSERT_TRUE(response) << response.error().message;
        EXPECT_EQ(response->body, "hello");
        EXPECT_EQ(response->timings.connection_reused, i > 0);
    }
}

TEST_F(HttpTls, SendsAndGetsLargeBodies) {
    const RunningServer server(make_router(), with_identity(authority_.issue_server()));
    client(trusting());
    Request upload = post(server.url("/upload"), std::string(5'000'000, 'x'));
    upload.method = "PUT";
    const auto uploaded = send(std::move(upload));
    ASSERT_TRUE(uploaded) << uploaded.error().message;
    EXPECT_EQ(uploaded->body, "5000000");
    const auto streamed = send(get(server.url("/stream")));
    ASSERT_TRUE(streamed) << streamed.error().message;
    EXPECT_EQ(streamed->body.size(), 100U * 1024);
    EXPECT_TRUE(streamed->timings.connection_reused);
    const auto after = send(get(server.url("/hello")));
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_TRUE(after->timings.connection_reused) << "a streamed reply leaves the connection whole";
}

TEST_F(HttpTls, ChecksTheNameThatItCalled) {
    const RunningServer by_name(make_router(),
                                with_identity(authority_.issue_server({"localhost"})));
    client(trusting());
    const auto port = std::to_string(by_name.port());
    EXPECT_TRUE(send(get("https://localhost:" + port + "/hello")));
    const Error error = failure_of("https://127.0.0.1:" + port + "/hello");
    EXPECT_EQ(error.kind, ErrorKind::tls);
    EXPECT_THAT(error.message, HasSubstr("IP address mismatch"));

    const RunningServer other(make_router(),
                              with_identity(authority_.issue_server({"other.test"})));
    const Error wrong = failure_of("https://localhost:" + std::to_string(other.port()) + "/hello");
    EXPECT_EQ(wrong.kind, ErrorKind::tls);
    EXPECT_THAT(wrong.message, ::testing::ContainsRegex("[Hh]ostname mismatch"));
}

TEST_F(HttpTls, RefusesAnAuthorityItDoesNotTrust) {
    CertificateAuthority stranger;
    const RunningServer server(make_router(), with_identity(stranger.issue_server()));
    client(trusting());
    const Error error = failure_of(server.url("/hello"));
    EXPECT_EQ(error.kind, ErrorKind::tls) << error.message;
}

TEST_F(HttpTls, TrustsTheSystemsAuthoritiesOnlyByDefault) {
    const RunningServer server(make_router(), with_identity(authority_.issue_server()));
    EXPECT_EQ(failure_of(server.url("/hello")).kind, ErrorKind::tls);
}

TEST_F(HttpTls, RefusesAnExpiredCertificate) {
    const RunningServer server(make_router(), with_identity(authority_.issue_expired_server()));
    client(trusting());
    const Error error = failure_of(server.url("/hello"));
    EXPECT_EQ(error.kind, ErrorKind::tls);
    EXPECT_THAT(error.message, HasSubstr("expired"));
}

TEST_F(HttpTls, RefusesAServerThatDoesNotSpeakIt) {
    HttpImposter plain({Script().send("HTTP/1.1 400 Bad Request\r\n\r\n").hang()});
    client(trusting());
    EXPECT_EQ(failure_of("https://127.0.0.1:" + std::to_string(plain.port())).kind, ErrorKind::tls);
}

TEST_F(HttpTls, ShowsItsCertificateWhenAsked) {
    const CertificateFiles mine = authority_.issue_client("worker-1");
    ServerConfig config = with_identity(authority_.issue_server());
    config.tls->client_ca_file = authority_.certificate();
    const RunningServer server(make_router(), config);

    ClientConfig with_certificate = trusting();
    with_certificate.certificate_file = mine.certificate;
    with_certificate.key_file = mine.key;
    client(with_certificate);
    const auto welcome = send(get(server.url("/hello")));
    ASSERT_TRUE(welcome) << welcome.error().message;

    client_.reset();
    client(trusting());
    EXPECT_NE(failure_of(server.url("/hello")).kind, ErrorKind::internal);
}

TEST_F(HttpTls, ResumesASession) {
    const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    HttpImposter server({Script().read_request().send(ok).read_request(), Script().answer("ok")},
                        authority_.issue_server());
    client(trusting());
    ASSERT_TRUE(send(get(server.url())));
    const auto second = send(get(server.url()));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->timings.resent);
    server.blocking_await_ended_connections(2);
    EXPECT_EQ(server.count_resumed_sessions(), 1U);
}

TEST_F(HttpTls, NoticesATruncatedBody) {
    // A plain cut, without the goodbye of TLS: whoever cuts the wire must not shorten a body.
    HttpImposter server({Script().read_request().send("HTTP/1.1 200 OK\r\n\r\nhalf of it").reset()},
                        authority_.issue_server());
    client(trusting());
    EXPECT_EQ(failure_of(server.url()).kind, ErrorKind::transient);
}

TEST_F(HttpTls, FailsToStartWithFilesThatDoNotExist) {
    ClientConfig config;
    config.ca_file = "/nowhere/ca.pem";
    EXPECT_THROW(client(config), std::runtime_error);
    EXPECT_THROW(RunningServer(make_router(), with_identity({"/nowhere/a", "/nowhere/b"})),
                 std::runtime_error);
}

}  // namespace
}  // namespace evalfleet::http
