#include "tests/integration/http/client_fixture.hpp"
#include "tests/support/certificates.hpp"

#include <gmock/gmock.h>

namespace evalfleet::http {
namespace {

using testing::CertificateAuthority;
using ::testing::HasSubstr;
using testing::HttpImposter;
using ::testing::Not;
using testing::Script;
using ::testing::StartsWith;

class HttpProxy : public HttpClientTest {
  protected:
    static std::string at(std::uint16_t port) {
        return "http://me:hunter2@127.0.0.1:" + std::to_string(port);
    }
};

TEST_F(HttpProxy, GetsPlainRequestsInAbsoluteForm) {
    HttpImposter proxy({Script().answer("from the proxy").answer("again").hang()});
    ClientConfig config;
    config.proxy = {at(proxy.port()), "", ""};
    client(config);
    const auto response = send(get("http://service.test/path?x=1"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "from the proxy");
    const std::string request = proxy.requests().at(0);
    EXPECT_THAT(request,
                StartsWith("GET http://service.test/path?x=1 HTTP/1.1\r\nHost: service.test\r\n"));
    EXPECT_THAT(request, HasSubstr("Proxy-Authorization: Basic bWU6aHVudGVyMg==\r\n"));
    EXPECT_TRUE(send(get("http://service.test/"))->timings.connection_reused);
}

TEST_F(HttpProxy, CarriesHttpsThroughATunnel) {
    CertificateAuthority authority;
    HttpImposter server({Script().answer("secret").hang()}, authority.issue_server());
    HttpImposter proxy({Script()
                            .read_request()
                            .send("HTTP/1.1 200 Connection established\r\n\r\n")
                            .tunnel(server.port())});
    ClientConfig config;
    config.ca_file = authority.certificate();
    config.proxy = {"", at(proxy.port()), ""};
    client(config);
    const auto response = send(get(server.url("/x")));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "secret");
    EXPECT_THAT(proxy.requests().at(0),
                StartsWith("CONNECT 127.0.0.1:" + std::to_string(server.port()) + " HTTP/1.1\r\n"));
    EXPECT_THAT(server.requests().at(0), StartsWith("GET /x HTTP/1.1\r\n"));
    EXPECT_THAT(server.requests().at(0), Not(HasSubstr("Proxy-Authorization")));
    client_.reset();  // ends the tunnel
}

TEST_F(HttpProxy, IsNotAskedForExcludedHosts) {
    HttpImposter server({Script().answer("direct").hang()});
    HttpImposter proxy({Script().answer("proxied").hang()});
    ClientConfig config;
    config.proxy = {at(proxy.port()), "", "127.0.0.0/8"};
    client(config);
    EXPECT_EQ(send(get(server.url()))->body, "direct");
    EXPECT_EQ(proxy.count_connections(), 0U);
}

TEST_F(HttpProxy, MayRefuseTheTunnel) {
    HttpImposter proxy(
        {Script()
             .read_request()
             .send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
             .hang(),
         Script().read_request().send("HTTP/1.1 502 Bad Gateway\r\n\r\n").hang(),
         Script().read_request().send("HTTP/1.1 200 OK\r\n\r\nsmuggled").hang(),
         Script().read_request()});
    ClientConfig config;
    config.proxy = {"", at(proxy.port()), ""};
    client(config);
    for (const ErrorKind kind :
         {ErrorKind::denied, ErrorKind::transient, ErrorKind::invalid, ErrorKind::transient}) {
        const auto response = send(get("https://service.test/"));
        ASSERT_FALSE(response);
        EXPECT_EQ(response.error().kind, kind) << response.error().message;
        EXPECT_THAT(response.error().message, HasSubstr("proxy"));
        EXPECT_THAT(response.error().message, Not(HasSubstr("hunter2")));
    }
}

}  // namespace
}  // namespace evalfleet::http
