#include "common/http/server.hpp"
#include "tests/integration/http/handlers.hpp"
#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>

namespace evalfleet::http {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kGetHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kGetAlive = "GET /alive HTTP/1.1\r\nHost: x\r\n\r\n";

/// What `client` is answered.
std::string ask(RawClient& client, const std::string& request) {
    client.send(request);
    return client.read_response();
}

void await(const std::function<bool()>& condition) {
    while (!condition())
        std::this_thread::yield();
}

TEST(HttpCrowd, GivesWayFromTheConnectionThatIdlesLongest) {
    RunningServer server(make_router(), {.max_connections = 2});
    RawClient first(server.port());
    EXPECT_TRUE(ask(first, kGetHello).ends_with("hello"));
    RawClient second(server.port());
    EXPECT_TRUE(ask(second, kGetHello).ends_with("hello"));
    RawClient third(server.port());
    EXPECT_TRUE(ask(third, kGetHello).ends_with("hello"));
    EXPECT_EQ(first.read_to_end(), "") << "it was closed";
    EXPECT_TRUE(ask(second, kGetHello).ends_with("hello")) << "it was left alone";
}

TEST(HttpCrowd, GivesWayWithHeadsThatDoNotEnd) {
    RunningServer server(make_router(), {.max_connections = 2});
    RawClient first(server.port());
    EXPECT_TRUE(ask(first, kGetHello + "GET /hel").ends_with("hello"));
    RawClient second(server.port());
    EXPECT_TRUE(ask(second, kGetHello + "GET /hel").ends_with("hello"));
    RawClient third(server.port());
    EXPECT_TRUE(ask(third, kGetHello).ends_with("hello"));
    EXPECT_EQ(first.read_to_end(), "");
}

TEST(HttpCrowd, GivesWayWithBodiesThatStandStill) {
    testing::ManualClock clock;
    RunningServer server(make_router(), {.max_connections = 1}, &clock);
    RawClient slow(server.port());
    slow.send("PUT /upload HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n");
    EXPECT_EQ(slow.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    RawClient early(server.port());
    EXPECT_THAT(ask(early, kGetHello), StartsWith("HTTP/1.1 503 ")) << "it has just begun";
    clock.advance(seconds(2));
    RawClient other(server.port());
    EXPECT_TRUE(ask(other, kGetHello).ends_with("hello"));
    EXPECT_EQ(slow.read_to_end(), "");
}

TEST(HttpCrowd, GivesWayWithRepliesThatNobodyTakes) {
    testing::ManualClock clock;
    RunningServer server(make_router(), {.max_connections = 1}, &clock);
    RawClient deaf(server.port());
    deaf.send("GET /endless HTTP/1.1\r\n\r\n");
    static_cast<void>(deaf.read_until("\r\n\r\n"));
    await([&] {
        clock.advance(seconds(2));
        RawClient other(server.port());
        return ask(other, kGetHello).ends_with("hello");
    });
}

TEST(HttpCrowd, GivesWayWithHandshakesThatDoNotEnd) {
    testing::CertificateAuthority authority;
    const auto files = authority.issue_server();
    ServerConfig config{.max_connections = 2};
    config.tls = TlsServerConfig{files.certificate, files.key, {}};
    RunningServer server(make_router(), std::move(config));
    RawClient first(server.port());
    await([&] { return server.count_connections() == 1; });
    RawClient second(server.port());
    await([&] { return server.count_connections() == 2; });
    RawClient third(server.port());
    EXPECT_EQ(first.read_to_end(), "") << "it was closed";
}

TEST(HttpCrowd, TurnsOthersAwayWhenNobodyGivesWayButAnswersProbes) {
    RunningServer server(make_router(),
                         {.max_connections = 2, .reply_headers = {{"X-House", "rule"}}});
    RawClient first(server.port());
    first.send("GET /hold HTTP/1.1\r\n\r\n");
    RawClient second(server.port());
    second.send("GET /hold HTTP/1.1\r\n\r\n");
    await([&] {
        RawClient other(server.port());
        return ask(other, kGetHello).starts_with("HTTP/1.1 503 ");
    });
    RawClient refused(server.port());
    const std::string refusal = ask(refused, kGetHello);
    EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(refusal, HasSubstr("X-House: rule\r\n"));
    RawClient probe(server.port());
    probe.send(kGetAlive);
    const std::string alive = probe.read_to_end();
    EXPECT_THAT(alive, StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(alive, HasSubstr("Connection: close")) << "others may have a probe to ask, too";
}

TEST(HttpCrowd, LetsProbesThroughWhenTheSparePlacesAreTakenByThoseWhoSayNothing) {
    RunningServer server(make_router(), {.max_connections = 1});
    RawClient busy(server.port());
    busy.send("GET /hold HTTP/1.1\r\n\r\n");
    await([&] {
        RawClient other(server.port());
        return ask(other, kGetHello).starts_with("HTTP/1.1 503 ");
    });
    std::deque<RawClient> crowd;
    for (int i = 0; i < 200; ++i)
        crowd.emplace_back(server.port());
    for (int i = 0; i < 5; ++i) {
        RawClient probe(server.port());
        EXPECT_THAT(ask(probe, kGetAlive), StartsWith("HTTP/1.1 200 "));
    }
    EXPECT_LE(server.count_connections(), 40U);
}

}  // namespace
}  // namespace evalfleet::http
