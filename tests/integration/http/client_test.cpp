#include "common/http/client.hpp"

#include "tests/integration/http/client_fixture.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

namespace evalfleet::http {
namespace {

using ::testing::HasSubstr;
using testing::HttpImposter;
using ::testing::Not;
using testing::Script;
using ::testing::StartsWith;

TEST_F(HttpClientTest, GetsAResponseWithItsMoments) {
    HttpImposter server({Script().answer("hello").hang()});
    const auto response = send(get(server.url("/greeting?x=1")));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "hello");
    EXPECT_THAT(server.requests().at(0),
                StartsWith("GET /greeting?x=1 HTTP/1.1\r\nHost: 127.0.0.1:"));
    const Timings& timings = response->timings;
    EXPECT_LE(timings.dispatched, timings.connected);
    EXPECT_LE(timings.connected, timings.request_written);
    EXPECT_LE(timings.request_written, timings.first_byte);
    EXPECT_LE(timings.first_byte, timings.last_byte);
    EXPECT_NE(timings.dispatched, async::TimePoint{});
    EXPECT_FALSE(timings.connection_reused);
    EXPECT_GT(timings.round_trip, async::Duration(0));
}

TEST_F(HttpClientTest, PostsItsBodyWithItsLength) {
    HttpImposter server({Script().answer("ok").hang()});
    Request request = post(server.url("/v1"), std::string(100'000, 'x'));
    request.headers.add("Content-Type", "application/json");
    const auto response = send(std::move(request));
    ASSERT_TRUE(response) << response.error().message;
    const std::string seen = server.requests().at(0);
    EXPECT_THAT(seen.substr(0, 300), HasSubstr("Content-Length: 100000\r\n"));
    EXPECT_THAT(seen.substr(0, 300), HasSubstr("Accept-Encoding: identity\r\n"));
    EXPECT_THAT(seen.substr(0, 300), HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_TRUE(seen.ends_with(std::string(100'000, 'x')));
}

TEST_F(HttpClientTest, UsesAKeptConnectionAgain) {
    HttpImposter server({Script().answer("one").answer("two").hang()});
    ASSERT_TRUE(send(get(server.url())));
    EXPECT_EQ(client().count_idle_connections(), 1U);
    const auto second = send(get(server.url()));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(second->body, "two");
    EXPECT_TRUE(second->timings.connection_reused);
    EXPECT_EQ(second->timings.connected, second->timings.dispatched);
    EXPECT_EQ(server.count_connections(), 1U);
}

/// Our sockets that are connected to a port of this machine.
std::vector<int> sockets_to(std::uint16_t port) {
    constexpr int kMostFiles = 1024;
    std::vector<int> found;
    for (int file = 0; file < kMostFiles; ++file) {
        sockaddr_in peer{};
        socklen_t size = sizeof(peer);
        if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
        if (peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) found.push_back(file);
    }
    return found;
}

TEST_F(HttpClientTest, KeepsConnectionsAliveThatAreSilentForLong) {
    HttpImposter server({Script().answer("one").hang()});
    ASSERT_TRUE(send(get(server.url())));
    const auto sockets = sockets_to(Url::parse(server.url()).value().port);
    ASSERT_FALSE(sockets.empty());
    for (const int socket : sockets) {
        int is_on = 0;
        socklen_t size = sizeof(is_on);
        EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &is_on, &size), 0);
        EXPECT_NE(is_on, 0);
    }
}

TEST_F(HttpClientTest, ClosesTheConnectionWhenTheServerSaysSo) {
    HttpImposter server(
        {Script()
             .read_request()
             .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
             .hang()});
    ASSERT_TRUE(send(get(server.url())));
    EXPECT_EQ(client().count_idle_connections(), 0U);
}

TEST_F(HttpClientTest, ReadsAChunkedBodyThatDrips) {
    HttpImposter server(
        {Script()
             .read_request()
             .drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "5;name=value\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n")
             .hang()});
    const auto response = send(get(server.url()));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "hello, world");
    EXPECT_EQ(client().count_idle_connections(), 1U);
}

TEST_F(HttpClientTest, ReadsABodyThatEndsWithTheConnection) {
    HttpImposter server({Script().read_request().send("HTTP/1.1 200 OK\r\n\r\nto the end")});
    const auto response = send(get(server.url()));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "to the end");
    EXPECT_EQ(client().count_idle_connections(), 0U);
}

TEST_F(HttpClientTest, SkipsInterimResponses) {
    HttpImposter server(
        {Script()
             .read_request()
             .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                   "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
             .hang()});
    const auto response = send(get(server.url()));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 201);
    EXPECT_EQ(response->body, "ok");
}

TEST_F(HttpClientTest, ExpectsNoBodyAfterHead) {
    HttpImposter server({Script()
                             .read_request()
                             .send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
                             .answer("next")
                             .hang()});
    Request request = get(server.url());
    request.method = "HEAD";
    const auto response = send(std::move(request));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "");
    EXPECT_EQ(send(get(server.url()))->body, "next");
}

TEST_F(HttpClientTest, DoesNotKeepAConnectionWithBytesNobodyAskedFor) {
    HttpImposter server(
        {Script()
             .read_request()
             .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n")
             .hang()});
    ASSERT_TRUE(send(get(server.url())));
    EXPECT_EQ(client().count_idle_connections(), 0U);
}

TEST_F(HttpClientTest, RefusesACompressedBody) {
    HttpImposter server(
        {Script()
             .read_request()
             .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx")
             .hang()});
    const auto response = send(get(server.url()));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::invalid);
    EXPECT_THAT(response.error().message, HasSubstr("compressed"));
}

TEST_F(HttpClientTest, ReportsARefusedConnectionAsTransient) {
    std::string url;
    {
        HttpImposter gone({Script()});
        url = gone.url();
    }
    const auto response = send(get(url));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::transient);
    EXPECT_THAT(response.error().message, HasSubstr("connecting to 127.0.0.1:"));
}

TEST_F(HttpClientTest, ReportsAResetBeforeTheAnswerAsTransient) {
    HttpImposter server({Script().read_request().reset()});
    const auto response = send(get(server.url()));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::transient);
    EXPECT_EQ(server.count_connections(), 1U) << "a new connection is not a stale one";
}

TEST_F(HttpClientTest, ReportsABodyCutShortAsTransient) {
    HttpImposter server(
        {Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")});
    const auto response = send(get(server.url()));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::transient);
    EXPECT_THAT(response.error().message, HasSubstr("cut short"));
}

TEST_F(HttpClientTest, TakesAnAnswerThatCameBeforeTheRequestWasRead) {
    HttpImposter server(
        {Script()
             .send(
                 "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
             .hang()});
    const auto response = send(post(server.url(), std::string(1'000'000, 'x')));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 413);
}

TEST_F(HttpClientTest, FindsAServerByName) {
    HttpImposter server({Script().answer("ok").hang()});
    const auto response = send(get("http://localhost:" + std::to_string(server.port()) + "/"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "ok");
}

TEST_F(HttpClientTest, ReportsAnUnknownHost) {
    // A label has at most 63 letters, so that no name server needs to be asked.
    const auto response = send(get("http://" + std::string(64, 'a') + ".invalid/"));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::not_found) << response.error().message;
}

TEST_F(HttpClientTest, SendsNothingThatWouldSmuggleAHeader) {
    HttpImposter server({Script().answer("ok").hang()});
    Request request = get(server.url());
    request.headers.add("X-Note", "a\r\nX-Admin: 1");
    const auto response = send(std::move(request));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, ErrorKind::invalid);
    EXPECT_THAT(response.error().message, HasSubstr("X-Note"));
    EXPECT_THAT(response.error().message, Not(HasSubstr("X-Admin")));
    EXPECT_EQ(server.count_connections(), 0U);
}

TEST_F(HttpClientTest, TellsNoSecretInAnError) {
    HttpImposter server({Script().read_request().reset()});
    Request request = get("http://user:hunter2@127.0.0.1:" + std::to_string(server.port()) +
                          "/path?key=sk-secret");
    request.headers.add("Authorization", "Bearer sk-token");
    const auto response = send(std::move(request));
    ASSERT_FALSE(response);
    for (const char* secret : {"hunter2", "sk-secret", "sk-token"}) {
        EXPECT_THAT(response.error().message, Not(HasSubstr(secret)));
    }
    EXPECT_THAT(response.error().message, HasSubstr("/path"));
}

struct Malformed {
    std::string name;
    std::string answer;
    ErrorKind kind;

    friend std::ostream& operator<<(std::ostream& out, const Malformed& malformed) {
        return out << malformed.name;
    }
};

class HttpClientAnswers : public HttpClientTest, public ::testing::WithParamInterface<Malformed> {};

TEST_P(HttpClientAnswers, AreRefusedAndTheirConnectionIsDropped) {
    HttpImposter server({Script().read_request().send(GetParam().answer).hang()});
    CallLimits tight = limits();
    tight.max_header_bytes = 4096;
    tight.max_body_bytes = 1000;
    const auto response = testing::run(context_, client().send(get(server.url()), tight));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().kind, GetParam().kind) << response.error().message;
    EXPECT_EQ(client().count_idle_connections(), 0U);
}

const std::string kOk = "HTTP/1.1 200 OK\r\n";
const std::string kChunked = kOk + "Transfer-Encoding: chunked\r\n\r\n";

INSTANTIATE_TEST_SUITE_P(
    Malformed, HttpClientAnswers,
    ::testing::Values(
        Malformed{"NotHttp", "SSH-2.0-OpenSSH_9.2\r\n", ErrorKind::invalid},
        Malformed{"WrongVersion", "HTTP/2.0 200 OK\r\n\r\n", ErrorKind::invalid},
        Malformed{"NoStatus", "HTTP/1.1 abc OK\r\n\r\n", ErrorKind::invalid},
        Malformed{"BareLineFeeds", "HTTP/1.1 200 OK\n\n", ErrorKind::invalid},
        Malformed{"SpaceInName", kOk + "Bad Name: x\r\n\r\n", ErrorKind::invalid},
        Malformed{"TwoLengths", kOk + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                  ErrorKind::invalid},
        Malformed{"NegativeLength", kOk + "Content-Length: -1\r\n\r\n", ErrorKind::invalid},
        Malformed{"LengthAndChunked",
                  kOk + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  ErrorKind::invalid},
        Malformed{"UnknownCoding", kOk + "Transfer-Encoding: gzip\r\n\r\nxx", ErrorKind::invalid},
        Malformed{"GzipThenChunked", kOk + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                  ErrorKind::invalid},
        Malformed{"ChunkSizeNotHex", kChunked + "xyz\r\n", ErrorKind::invalid},
        Malformed{"ChunkWithoutLineEnd", kChunked + "3\r\nabcdef\r\n0\r\n\r\n", ErrorKind::invalid},
        Malformed{"ChunkSizeOverflows", kChunked + "fffffffffffffffff\r\n", ErrorKind::invalid},
        Malformed{"HeaderTooLarge", kOk + "X: " + std::string(5000, 'x') + "\r\n\r\n",
                  ErrorKind::too_large},
        Malformed{"HeaderNeverEnds", kOk + std::string(5000, 'x'), ErrorKind::too_large},
        Malformed{"BodyTooLongByLength", kOk + "Content-Length: 1001\r\n\r\n",
                  ErrorKind::too_large},
        Malformed{"BodyTooLongByChunks", kChunked + "3e9\r\n" + std::string(1001, 'x'),
                  ErrorKind::too_large},
        Malformed{"BodyTooLongByItself", kOk + "\r\n" + std::string(1001, 'x'),
                  ErrorKind::too_large},
        Malformed{"ChunkExtensionNeverEnds", kChunked + "1;" + std::string(70'000, 'x'),
                  ErrorKind::too_large}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace evalfleet::http
