#include "common/http/dialer.hpp"
#include "common/http/phase.hpp"
#include "tests/integration/http/client_fixture.hpp"
#include "tests/support/certificates.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <gmock/gmock.h>
#include <netinet/tcp.h>

/// How servers are reached: by which address, through which proxy, trusted by whom.
namespace evalfleet::http {
namespace {

using namespace std::string_literals;
using testing::CertificateAuthority;
using testing::FullListener;
using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;
using ::testing::StartsWith;
using tcp = boost::asio::ip::tcp;

const std::string kGranted = "\x05\x00\x00\x01\x7F\x00\x00\x01\x00\x50"s;

class SocksProxy : public HttpClientTest {
  protected:
    void use(const std::string& proxy) {
        ClientConfig config;
        config.proxy = {proxy, proxy, ""};
        client(config);
    }
};

TEST_F(SocksProxy, LooksNamesUpItself) {
    HttpImposter server({Script().answer("behind it").hang()});
    HttpImposter proxy({Script()
                            .read_bytes(3)
                            .send("\x05\x00"s)
                            .read_bytes(19)
                            .send(kGranted)
                            .tunnel(server.port())});
    use("socks5h://127.0.0.1:" + std::to_string(proxy.port()));
    const auto response = send(get("http://service.test/x"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "behind it");
    EXPECT_EQ(proxy.requests().at(0), "\x05\x01\x00"s);
    EXPECT_EQ(proxy.requests().at(1), "\x05\x01\x00\x03\x0Cservice.test\x00\x50"s);
    EXPECT_THAT(server.requests().at(0), StartsWith("GET /x HTTP/1.1\r\nHost: service.test\r\n"));
    client_.reset();
}

TEST_F(SocksProxy, GetsUserPasswordAndAnAddress) {
    HttpImposter server({Script().answer("in").hang()});
    HttpImposter proxy({Script()
                            .read_bytes(4)
                            .send("\x05\x02"s)
                            .read_bytes(13)
                            .send("\x01\x00"s)
                            .read_bytes(10)
                            .send(kGranted)
                            .tunnel(server.port())});
    use("socks5://me:hunter%202@127.0.0.1:" + std::to_string(proxy.port()));
    const auto response = send(get("http://127.0.0.1:81/"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(proxy.requests().at(1), "\x01\x02me\x08hunter 2"s);
    EXPECT_EQ(proxy.requests().at(2), "\x05\x01\x00\x01\x7F\x00\x00\x01\x00\x51"s);
    client_.reset();
}

TEST_F(SocksProxy, MayRefuse) {
    HttpImposter proxy({Script().read_bytes(3).send("\x05\xFF"s).hang(),
                        Script()
                            .read_bytes(3)
                            .send("\x05\x00"s)
                            .read_bytes(10)
                            .send("\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00"s),
                        Script().read_bytes(3).send("HTTP/1.1 400 Bad Request\r\n\r\n")});
    use("socks5://127.0.0.1:" + std::to_string(proxy.port()));
    const auto url = "http://127.0.0.1:81/";
    EXPECT_EQ(send(get(url)).error().kind, ErrorKind::denied);
    EXPECT_THAT(send(get(url)).error().message, HasSubstr("connection was refused"));
    EXPECT_THAT(send(get(url)).error().message, HasSubstr("does not speak SOCKS 5"));
}

TEST_F(HttpClientTest, SpeaksTlsWithAProxyAndThroughIt) {
    CertificateAuthority authority;
    HttpImposter server({Script().answer("twice sealed").hang()}, authority.issue_server());
    HttpImposter proxy({Script()
                            .read_request()
                            .send("HTTP/1.1 200 Connection established\r\n\r\n")
                            .tunnel(server.port()),
                        Script().answer("forwarded").hang()},
                       authority.issue_server());
    ClientConfig config;
    config.ca_file = authority.certificate();
    const std::string place = "https://me:hunter2@127.0.0.1:" + std::to_string(proxy.port());
    config.proxy = {place, place, ""};
    client(config);
    const auto response = send(get(server.url("/x")));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "twice sealed");
    EXPECT_THAT(proxy.requests().at(0), StartsWith("CONNECT 127.0.0.1:"));
    EXPECT_THAT(proxy.requests().at(0), HasSubstr("Proxy-Authorization: Basic"));
    const auto plain = send(get("http://service.test/y"));
    ASSERT_TRUE(plain) << plain.error().message;
    EXPECT_EQ(plain->body, "forwarded");
    EXPECT_THAT(proxy.requests().at(1), StartsWith("GET http://service.test/y HTTP/1.1\r\n"));
    client_.reset();
}

TEST_F(HttpClientTest, TrustsAnAuthorityForOneServerOnly) {
    CertificateAuthority authority;
    HttpImposter server({Script().answer("known").hang()}, authority.issue_server());
    client();
    Request request = get(server.url());
    EXPECT_EQ(send(request).error().kind, ErrorKind::tls);
    request.transport = std::make_shared<Transport>(Transport{.ca_file = authority.certificate()});
    const auto trusted = send(request);
    ASSERT_TRUE(trusted) << trusted.error().message;
    EXPECT_EQ(trusted->body, "known");
    request.transport.reset();
    EXPECT_EQ(send(request).error().kind, ErrorKind::tls) << "a kept connection is its own";
}

TEST_F(HttpClientTest, ShowsACertificateToTheServerItIsFor) {
    CertificateAuthority authority;
    HttpImposter server({Script().answer("welcome").hang()}, authority.issue_server(),
                        authority.certificate());
    ClientConfig config;
    config.ca_file = authority.certificate();
    client(config);
    Request request = get(server.url());
    EXPECT_FALSE(send(request));
    const auto identity = authority.issue_client("worker");
    request.transport = std::make_shared<Transport>(
        Transport{.certificate_file = identity.certificate, .key_file = identity.key});
    const auto response = send(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "welcome");
}

TEST_F(HttpClientTest, TellsWhichCertificateFileCannotBeUsed) {
    Request request = get("https://127.0.0.1:1/");
    request.transport = std::make_shared<Transport>(Transport{.ca_file = "/nonexistent/ca.pem"});
    const auto response = send(request);
    ASSERT_FALSE(response);
    EXPECT_THAT(response.error().message, HasSubstr("/nonexistent/ca.pem"));
}

TEST_F(HttpClientTest, KeepsConnectionsAsLongAsTheServerIsSaidToDo) {
    HttpImposter server({Script().answer("a").answer("b").hang(), Script().answer("c").hang()});
    Request request = get(server.url());
    request.transport =
        std::make_shared<Transport>(Transport{.idle_timeout = std::chrono::milliseconds(0)});
    ASSERT_TRUE(send(request));
    EXPECT_FALSE(send(request)->timings.connection_reused);
    EXPECT_EQ(server.count_connections(), 2U);
}

/// Dials a name that has two addresses, on a clock that the test moves.
class Dialling : public ::testing::Test {
  protected:
    static Result<NameAnswer> two(const std::string&) {
        return NameAnswer{{boost::asio::ip::make_address("127.0.0.1"),
                           boost::asio::ip::make_address("127.0.0.2")}};
    }
    std::future<Result<Stream>> dial(std::uint16_t port) {
        Url url = Url::parse("http://two.test").value();
        url.port = port;
        return std::async(std::launch::async, [this, url] {
            return testing::run(context_, dialer_.dial(url, phase_));
        });
    }

    boost::asio::io_context context_{1};
    testing::ManualClock clock_;
    Resolver resolver_{clock_, {}, two};
    Dialer dialer_{context_.get_executor(), clock_, resolver_};
    std::string_view phase_;
};

TEST_F(Dialling, TriesTheNextAddressBesideASilentOneAndRemembersThat) {
    const FullListener silent;
    const std::uint16_t port = Url::parse(silent.url()).value().port;
    tcp::acceptor other(context_, {boost::asio::ip::make_address("127.0.0.2"), port});
    auto first = dial(port);
    clock_.blocking_await_sleepers(1);
    clock_.advance(Dialer::kPatience);
    EXPECT_TRUE(first.get()) << "the second address answered";
    EXPECT_EQ(phase_, kConnectPhase);
    EXPECT_TRUE(dial(port).get()) << "at once: nobody moves the clock";
}

TEST_F(Dialling, GoesOnAtOnceAfterARefusal) {
    tcp::acceptor other(context_, {boost::asio::ip::make_address("127.0.0.2"), 0});
    EXPECT_TRUE(dial(other.local_endpoint().port()).get());
}

TEST_F(Dialling, TellsTheLastFailureIfNobodyAnswers) {
    tcp::acceptor gone(context_, {boost::asio::ip::make_address("127.0.0.3"), 0});
    const auto port = gone.local_endpoint().port();
    const auto stream = dial(port).get();
    ASSERT_FALSE(stream);
    EXPECT_THAT(stream.error().message, HasSubstr("connecting to two.test:"));
    EXPECT_THAT(stream.error().message, HasSubstr("refused"));
}

}  // namespace
}  // namespace evalfleet::http
